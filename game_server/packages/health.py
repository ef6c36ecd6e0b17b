"""Check a version in a process of its own: `python -m game_server.packages.health ARCHIVE`.

Its golden cases and its rooms. A version that hangs, or takes its process with it, harms nobody.
Writes {"failed": [sentences]} to standard output.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
from pathlib import Path

from paiju.packages.archive import BadPackage, unpack

WITHIN_S = 120.0
_ROOT = Path(__file__).resolve().parents[2]


async def check(archive: Path) -> str:
    """ "" when it is sound, else what is wrong."""
    paths = filter(None, [str(_ROOT), os.environ.get("PYTHONPATH")])
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "game_server.packages.health", str(archive)),
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(WITHIN_S):
            said, complained = await process.communicate()
    except TimeoutError:
        return f"its own cases took more than {WITHIN_S:.0f} s"
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    try:
        failed = json.loads(said)["failed"]
    except (ValueError, KeyError):
        lines = complained.decode(errors="replace").strip().splitlines()
        return f"its check ended with {process.returncode}: {lines[-1] if lines else ''}"[:500]
    return "; ".join(map(str, failed))[:500]


def main(archive: Path) -> None:
    from paiju.packages.proof import prove
    from paiju.service.process import die_with_parent

    die_with_parent(os.getppid())
    try:
        failed = prove(unpack(archive.read_bytes()), hands=0).failed
    except BadPackage as error:
        failed = [str(error)]
    sys.stdout.write(json.dumps({"failed": failed}))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
