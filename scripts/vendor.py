"""Make the page's vendored modules anew from the npm packages, or check that they are as made.

Without an option npm is needed, and the files and their sums are written; `--check` needs
nothing and ends 1 when a file is not the one that was made.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any

VENDOR = Path(__file__).resolve().parent.parent / "hall_client" / "webapp" / "vendor"
TABLE = VENDOR / "VENDOR.toml"
OPTIONS = ("--bundle", "--format=esm", "--target=es2022", "--minify", "--legal-comments=none")


def sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def check(files: dict[str, Any]) -> list[str]:
    """What is wrong, a line each."""
    wrong = [
        f"{name} is not the file that VENDOR.toml describes"
        for name, known in files.items()
        if sha256(VENDOR / name) != known["sha256"]
    ]
    found = {path.name for path in VENDOR.glob("*.js")}
    return wrong + [f"{name} is not in VENDOR.toml" for name in sorted(found - files.keys())]


def make(name: str, known: dict[str, Any], esbuild: str) -> None:
    """Bundle one file in a folder of its own."""
    with tempfile.TemporaryDirectory() as folder:
        wanted = {**known["packages"], "esbuild": esbuild}
        (Path(folder) / "package.json").write_text(json.dumps({"dependencies": wanted}))
        (Path(folder) / "entry.js").write_text(known["entry"])
        subprocess.run(["npm", "install", "--silent", "--no-audit"], cwd=folder, check=True)
        command = ["npx", "esbuild", "entry.js", *OPTIONS, f"--outfile={VENDOR / name}"]
        subprocess.run(command, cwd=folder, check=True)


def note_sums(text: str, files: dict[str, Any]) -> str:
    for name, known in files.items():
        text = re.sub(re.escape(known["sha256"]), sha256(VENDOR / name), text)
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only")
    options = parser.parse_args()
    text = TABLE.read_text("utf-8")
    table = tomllib.loads(text)
    if not options.check:
        for name, known in table["files"].items():
            make(name, known, table["esbuild"])
        TABLE.write_text(note_sums(text, table["files"]), "utf-8")
        return 0
    wrong = check(table["files"])
    print("\n".join(wrong), file=sys.stderr, end="\n" if wrong else "")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
