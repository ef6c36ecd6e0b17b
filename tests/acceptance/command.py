"""The `paiju` command as a user types it, in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


def paiju(*arguments: str, timeout_s: float = 240, **environment: str) -> str:
    """Run a command that must end 0; returns its standard output."""
    done = run(*arguments, timeout_s=timeout_s, **environment)
    assert done.returncode == 0, f"{done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def run(
    *arguments: str, timeout_s: float = 240, stdin: str = "", **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "paiju.cli.main", *arguments],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=timeout_s,
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        check=False,
    )
