"""A follower of the repository: what it has verified, and nothing else.

`refresh` asks the repository through `fetch` (blocking: run it in a thread) and verifies
everything by TUF from the root it was installed with. What was verified is kept in a folder
with a list of its own, marked with a key of this machine: an expired or unreachable
repository stops updates, never what is there already. Owner: one process per folder.
"""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase as fnmatch
from hashlib import sha256
from pathlib import Path
from typing import Any

from tuf.api.exceptions import DownloadError, DownloadHTTPError, RepositoryError
from tuf.api.metadata import DelegatedRole, Metadata, Snapshot, Targets
from tuf.ngclient import Updater, UpdaterConfig
from tuf.ngclient.fetcher import FetcherInterface

from paiju.packages.archive import PACKED_MAX, BadPackage, Contents, unpack

Fetch = Callable[[str], Iterator[bytes]]
"""Path in the repository -> its chunks. FileNotFoundError when there is none."""
_URL = "repository://"
_LIST = "verified.json"


class Untrusted(Exception):
    """What came is not what the keys vouch for; the sentence says what was wrong with it."""


class Unreachable(Exception):
    """The repository did not answer."""


class _Fetcher(FetcherInterface):
    def __init__(self, fetch: Fetch) -> None:
        self._fetch_path = fetch

    def _fetch(self, url: str) -> Iterator[bytes]:
        path = url.removeprefix(_URL)
        try:
            yield from self._fetch_path(path)
        except FileNotFoundError:
            raise DownloadHTTPError(f"{path} is not there", 404) from None


class Follower:
    """folder: its own, mode 0700. root: the root metadata that came with the installation.
    key: of this machine, at least 32 bytes."""

    def __init__(self, folder: Path, *, root: bytes, key: bytes, fetch: Fetch) -> None:
        self._metadata, self._archives = folder / "metadata", folder / "archives"
        for made in (self._metadata, self._archives):
            made.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._list = folder / _LIST
        self._root = root
        self._key = key
        self._fetch = fetch
        self._known = self._read_list()
        self._troubles: list[str] = []
        self.in_vain: set[str] = set()
        """What authors have listed that is not theirs: "AUTHOR: PATH"."""

    @property
    def versions(self) -> Mapping[str, str]:
        """ "NAME/VERSION" -> digest of everything that was verified, newest look first or not."""
        return dict(self._known)

    def contents(self, version: str) -> Contents:
        """A verified version ("NAME/VERSION"), read from the folder and checked again."""
        digest = self._known[version]
        try:
            found = unpack((self._archives / f"{digest}.zip").read_bytes())
        except (OSError, BadPackage) as error:
            raise Untrusted(f"{version} in the cache is damaged: {error}") from None
        if found.digest != digest or f"{found.name}/{found.version}" != version:
            raise Untrusted(f"{version} in the cache is not what was verified")
        return found

    def refresh(self) -> list[str]:
        """Look for what is new; the versions that came. Untrusted, Unreachable.

        What is no longer offered leaves the list; its archive stays for tables that use it. One
        author's list or archive that does not hold keeps nobody else's from coming: what holds is
        taken, then Untrusted tells the rest.
        """
        self._troubles = []
        updater = Updater(
            str(self._metadata),
            f"{_URL}metadata/",
            fetcher=_Fetcher(self._fetch),
            target_base_url=f"{_URL}targets/",
            config=UpdaterConfig(targets_max_length=1 << 20, snapshot_max_length=1 << 20),
            bootstrap=self._root,
        )
        try:
            updater.refresh()
            offered = self._offered(updater)
            for version, digest in list(offered.items()):
                if not self._holds(digest) and not self._got(updater, version):
                    del offered[version]
            new = [version for version in offered if version not in self._known]
        except DownloadError as error:
            if "expected" in str(error) or "exceed" in str(error):
                raise Untrusted(f"more came than was announced: {error}") from None
            raise Unreachable(str(error)) from None
        except OSError as error:
            raise Unreachable(f"{type(error).__name__}: {error}") from None
        except RepositoryError as error:
            raise Untrusted(str(error)) from None
        self._known = offered
        self._write_list()
        if self._troubles:
            raise Untrusted("; ".join(self._troubles))
        return new

    def _got(self, updater: Updater, version: str) -> bool:
        """Whether the archive came; else it is among the troubles."""
        try:
            self._download(updater, version)
        except (RepositoryError, Untrusted) as error:
            self._troubles.append(f"{version}: {error}")
            return False
        return True

    def _holds(self, digest: str) -> bool:
        """Whether the archive is there, undamaged; else it is fetched again."""
        try:
            found = unpack((self._archives / f"{digest}.zip").read_bytes())
        except (OSError, BadPackage):
            return False
        return found.digest == digest

    def _offered(self, updater: Updater) -> dict[str, str]:
        """Every version of every author, verified. Asking for any path of an author loads the
        author's list; the updater keeps it, verified, in its folder."""
        snapshot: Metadata[Snapshot] = self._local("snapshot")
        targets: Metadata[Targets] = self._local("targets")
        delegations = targets.signed.delegations
        roles = (delegations.roles if delegations is not None else None) or {}
        found: dict[str, str] = {}
        for author, role in roles.items():
            if f"{author}.json" not in snapshot.signed.meta:
                continue  # has published nothing yet
            try:
                found |= self._listed(updater, author, role.paths or ())
            except RepositoryError as error:
                self._troubles.append(f"the list of {author}: {error}")
                found |= {v: d for v, d in self._known.items() if self._owns(role, v)}
        return found

    def _listed(self, updater: Updater, author: str, paths: Sequence[str]) -> dict[str, str]:
        """Of one author. What he lists of another one's packages, he does so in vain."""
        for pattern in paths:
            updater.get_targetinfo(pattern.replace("*", "any"))
        listed: Metadata[Targets] = self._local(author)
        found = {}
        for path, target in listed.signed.targets.items():
            if not any(fnmatch(path, pattern) for pattern in paths):
                self.in_vain.add(f"{author}: {path}")
            elif updater.get_targetinfo(path) == target:
                found[path.removesuffix(".zip")] = target.hashes["sha256"]
        return found

    @staticmethod
    def _owns(role: DelegatedRole, version: str) -> bool:
        return any(fnmatch(f"{version}.zip", pattern) for pattern in role.paths or ())

    def _local(self, role: str) -> Metadata[Any]:
        """What the updater has verified of a role."""
        return Metadata.from_file(str(self._metadata / f"{role}.json"))

    def _download(self, updater: Updater, version: str) -> None:
        target = updater.get_targetinfo(f"{version}.zip")
        assert target is not None
        if target.length > PACKED_MAX:
            raise Untrusted(f"{version} has {target.length} bytes, allowed are {PACKED_MAX}")
        digest = target.hashes["sha256"]
        file = self._archives / f"{digest}.zip"
        draft = self._archives / f".{digest}.part"
        updater.download_target(target, str(draft))
        try:
            contents = unpack(draft.read_bytes())
        except BadPackage as error:
            draft.unlink()
            raise Untrusted(f"{version} is signed, but no package: {error}") from None
        if f"{contents.name}/{contents.version}" != version:
            draft.unlink()
            raise Untrusted(f"{version} says of itself that it is {contents.name}")
        draft.replace(file)

    # ---- what was verified -----------------------------------------------------------------

    def _read_list(self) -> dict[str, str]:
        try:
            stored: dict[str, Any] = json.loads(self._list.read_text("utf-8"))
            known = {str(k): str(v) for k, v in stored["versions"].items()}
            mark = str(stored["mark"])
        except (OSError, ValueError, KeyError, AttributeError):
            return {}
        return known if hmac.compare_digest(mark, self._mark(known)) else {}

    def _write_list(self) -> None:
        draft = self._list.with_suffix(".part")
        draft.write_text(json.dumps({"versions": self._known, "mark": self._mark(self._known)}))
        draft.replace(self._list)

    def _mark(self, known: Mapping[str, str]) -> str:
        text = json.dumps(known, sort_keys=True).encode()
        return hmac.new(self._key, text, sha256).hexdigest()
