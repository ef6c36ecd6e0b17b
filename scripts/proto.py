"""Generate the protobuf code into paiju/wire/v1: `make proto`.

With --check nothing is written; the run fails when what is there is not what the
contract generates. The versions of the generators are pinned in pyproject.toml
(extra `test`), so the same input gives the same bytes everywhere.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from importlib import resources
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("paiju/wire/v1")
WITH_SERVICES = {"hall.proto", "data.proto", "packages.proto"}


def generate(into: Path) -> None:
    """Write the modules of all contracts below `into`; SystemExit when one is wrong."""
    contracts = sorted((ROOT / "proto" / FOLDER).glob("*.proto"))
    tools = Path(sys.executable).parent
    include = str(resources.files("grpc_tools") / "_proto")
    common = ["protoc", f"-I{ROOT / 'proto'}", f"-I{include}"]
    plain = [
        f"--python_out={into}",
        f"--mypy_out=quiet:{into}",
        f"--plugin=protoc-gen-mypy={tools / 'protoc-gen-mypy'}",
        f"--descriptor_set_out={into / 'paiju.binpb'}",
    ]
    services = [
        f"--grpc_python_out={into}",
        f"--mypy_grpc_out=quiet:{into}",
        f"--plugin=protoc-gen-mypy_grpc={tools / 'protoc-gen-mypy_grpc'}",
    ]
    for options, names in (
        (plain, contracts),
        (services, [c for c in contracts if c.name in WITH_SERVICES]),
    ):
        if protoc.main([*common, *options, *map(str, names)]) != 0:
            raise SystemExit("proto: the contract does not compile (see above)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true", help="compare instead of write")
    check = parser.parse_args().check
    target = ROOT / FOLDER
    with tempfile.TemporaryDirectory() as folder:
        generate(Path(folder))
        made = {p.name: p for p in (Path(folder) / FOLDER).iterdir()}
        there = {p.name for p in target.glob("*_pb2*")}
        if check:
            stale = sorted(
                name
                for name in made.keys() | there
                if name not in made
                or name not in there
                or made[name].read_bytes() != (target / name).read_bytes()
            )
            if stale:
                sys.exit(f"proto: not fresh, run `make proto`: {', '.join(stale)}")
            return
        for name in there - made.keys():
            (target / name).unlink()
        for name, path in made.items():
            shutil.copyfile(path, target / name)


if __name__ == "__main__":
    main()
