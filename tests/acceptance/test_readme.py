"""What the README shows is typed and run here."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

from paiju.cli.local import LocalHall
from tests.acceptance.command import ROOT


async def test_the_bots_of_the_readme_play(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    block = text[text.index("    import asyncio, secrets") :].split("\n## ")[0]
    program = tmp_path / "bots.py"
    program.write_text(textwrap.dedent(block))
    async with LocalHall(data_dir=tmp_path / ".paiju"):
        done = await _run(program, tmp_path)
    assert done.returncode == 0, done.stderr
    assert len(done.stdout.splitlines()) == 3


async def _run(program: Path, folder: Path) -> subprocess.CompletedProcess[str]:
    import asyncio

    return await asyncio.to_thread(
        subprocess.run,
        [sys.executable, str(program)],
        cwd=folder,
        env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        timeout=120,
    )
