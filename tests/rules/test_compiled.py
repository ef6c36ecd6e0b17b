"""The optional compiled build plays as the plain rules do, to the byte.

About a minute of one core, most of it the C compiler's: soak.
"""

from __future__ import annotations

import os
import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "tests/rules/told.py"
HANDS = 30
"""Of each rule set of the climbing engine."""


def told(tree: Path) -> list[bytes]:
    """All that the rules of that tree do, in lines; the first is `plain` or `compiled`."""
    done = subprocess.run(
        [sys.executable, SCRIPT, str(HANDS)],
        env={**os.environ, "PYTHONPATH": str(tree), "PYTHONHASHSEED": "0"},
        cwd=tree,
        capture_output=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.mark.soak
@pytest.mark.timeout(1800)
@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_compiled_rules_do_what_the_plain_ones_do(tmp_path: Path) -> None:
    runpy.run_path(str(ROOT / "scripts/compile_rules.py"))["compiled_tree"](ROOT, tmp_path)
    kind, *plain = told(ROOT)
    assert kind == b"plain", "compiled modules lie among the sources"
    kind, *compiled = told(tmp_path)
    assert kind == b"compiled"
    assert len(plain) > 1000
    different = [pair for pair in zip(plain, compiled, strict=True) if pair[0] != pair[1]]
    assert different[:3] == []
