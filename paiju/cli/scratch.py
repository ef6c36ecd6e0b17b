"""A folder for one run of a command; it goes when the run ends, or when the next one begins."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from game_server.supervisor import sweep


@contextmanager
def scratch(command: str) -> Iterator[Path]:
    """`/tmp/paiju-COMMAND-...`, ours alone. First what dead runs left is taken away."""
    sweep.sweep()
    with tempfile.TemporaryDirectory(
        prefix=f"paiju-{command}-", ignore_cleanup_errors=True
    ) as temporary:
        folder = Path(temporary)
        sweep.claim(folder)
        yield folder
