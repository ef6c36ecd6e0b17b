"""The page's own files, under addresses that change with their content.

`/` and `/sw.js` are the only files that a browser asks for anew; all others lie under `/a/TAG/`
and may be kept for ever, so a returning visitor fetches one small page.
"""

from __future__ import annotations

import base64
import hashlib
import mimetypes
import re
from pathlib import Path

WEBAPP = Path(__file__).resolve().parent.parent / "webapp"
INDEX = "index.html"
OFFLINE = "offline.html"  # shown in the place of the page, by the worker
WORKER = "sw.js"  # one in a folder could only answer for that folder
MEDIA = {".js": "text/javascript", ".md": "text/markdown; charset=utf-8"}
_IMPORT_MAP = re.compile(r'<script type="importmap">(.*?)</script>', re.DOTALL)


def media_type(name: str) -> str:
    """By the ending; what is unknown is bytes."""
    known = MEDIA.get(Path(name).suffix)
    return known or mimetypes.guess_type(name)[0] or "application/octet-stream"


class Pages:
    """All files in memory: they are few and small."""

    def __init__(self, folder: Path = WEBAPP) -> None:
        self._files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in sorted(folder.rglob("*"))
            if path.is_file()
        }
        digest = hashlib.sha256()
        for name, content in self._files.items():
            digest.update(f"{name} {len(content)} ".encode() + content)
        self.tag = digest.hexdigest()[:16]
        self.index = self._filled(INDEX)
        self.worker = self._filled(WORKER)
        self._files[OFFLINE] = self._filled(OFFLINE).encode()

    def file(self, tag: str, name: str) -> bytes | None:
        """None for what there is not, or not in this version."""
        own = tag == self.tag and name not in (INDEX, WORKER)
        return self._files.get(name) if own else None

    def _filled(self, name: str) -> str:
        """A file that lies at the root and names the others."""
        return self._files[name].decode().replace("{{base}}", f"a/{self.tag}")

    @property
    def inline_scripts(self) -> list[str]:
        """Sources for the policy: the import map can only stand in the page itself."""
        digests = [
            hashlib.sha256(text.encode()).digest() for text in _IMPORT_MAP.findall(self.index)
        ]
        return [f"'sha256-{base64.b64encode(digest).decode()}'" for digest in digests]
