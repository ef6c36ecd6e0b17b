"""Store the contract of the current version in tests/compat/descriptors.

The file of a version may be written anew until the version is tagged (v0.1.0); after that
it is what released programs speak, and stays.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "tests" / "compat" / "descriptors"
sys.path.insert(0, str(ROOT))


def version() -> str:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def released(number: str) -> bool:
    tags = subprocess.run(
        ["git", "-C", str(ROOT), "tag", "--list", f"v{number}"], capture_output=True, text=True
    )
    return bool(tags.stdout.strip())


def main() -> None:
    argparse.ArgumentParser(description=__doc__).parse_args()
    from tests.compat.contract import live

    number = version()
    if released(number):
        sys.exit(f"{number} is released: raise the version in pyproject.toml first")
    FOLDER.mkdir(exist_ok=True)
    path = FOLDER / f"{number}.binpb"
    path.write_bytes(live().SerializeToString(deterministic=True))
    print(f"wrote {path.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
