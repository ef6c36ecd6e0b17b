"""Compiles the typed rule engine with mypyc: the same rules, quicker. Nothing needs it.

    python scripts/compile_rules.py FOLDER

puts the extension modules into FOLDER as a wheel would have them; put beside their sources
they take the sources' place. `PAIJU_COMPILE=1 pip wheel .` makes a wheel with them
(`hatch_build.py`). Needs mypy, setuptools and a C compiler.
"""

from __future__ import annotations

import argparse
import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
REQUIRES = ("mypy>=1.14", "setuptools>=75", "msgspec>=0.19,<1")
_CLIMBING = (
    *("above", "combos", "dealing", "finder", "hand", "packed"),
    *("plays", "settle", "state", "wings", "worlds"),
)
MODULES = (
    *(f"games/doudizhu/{name}.py" for name in ("bidding", "classic", "landlord")),
    "paiju/rules/cards.py",
    "paiju/rules/shuffle.py",
    *(f"paiju/rules/climbing/{name}.py" for name in _CLIMBING),
)
"""What is compiled. Their classes may be subclassed by plain ones (`paiju.rules.compiled`)."""
_OPTIONS = ("--config-file=", "--strict", "--ignore-missing-imports")


def compile_rules(root: Path, folder: Path) -> list[Path]:
    """The files made, all below `folder`. RuntimeError says why there are none."""
    try:
        from mypyc.build import mypycify
        from setuptools import Distribution
        from setuptools.command.build_ext import build_ext
    except ImportError as error:
        raise RuntimeError(f"{error.name} is not installed") from None
    folder = folder.resolve()
    with tempfile.TemporaryDirectory() as scratch, contextlib.chdir(root):
        extensions = mypycify(
            [*_OPTIONS, *MODULES],
            opt_level="2",
            debug_level="0",
            group_name="paiju_rules",
            target_dir=f"{scratch}/c",
        )
        command = build_ext(Distribution({"name": "paiju", "ext_modules": extensions}))
        command.build_lib, command.build_temp = str(folder), f"{scratch}/objects"
        command.ensure_finalized()
        try:
            command.run()
        except Exception as error:  # setuptools' own kinds differ between its versions
            raise RuntimeError(f"the C compiler failed: {error}") from error
    return sorted(path for path in folder.rglob("*") if path.suffix in (".so", ".pyd"))


def compiled_tree(root: Path, folder: Path) -> None:
    """A copy of the rules, the games and the command in `folder`, with compiled modules."""
    for package in ("paiju", "games"):
        shutil.copytree(
            root / package, folder / package, ignore=shutil.ignore_patterns("__pycache__", "*.so")
        )
    compile_rules(root, folder)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    try:
        made = compile_rules(ROOT, parser.parse_args().folder)
    except RuntimeError as error:
        print(f"not compiled: {error}", file=sys.stderr)
        return 1
    print("\n".join(map(str, made)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
