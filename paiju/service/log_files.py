"""Where log lines go: a stream, and a file for failures of the database. Neither stops anybody."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import TextIO

LARGEST_DATABASE_LOG = 16 * 2**20


class Lines:
    """Where lines go. `lost`: how many could not be written."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.lost = 0
        self._told = 0
        try:
            self._file = stream.fileno()
        except (OSError, ValueError, AttributeError):
            self._file = -1  # of a test

    def write(self, line: str) -> None:
        if self.lost > self._told:
            missing = f'{{"event": "log.lines_lost", "lines": {self.lost - self._told}}}\n'
            # The line break ends what was begun before the disk was full.
            if not self._put(f"\n{missing}{line}\n"):
                self.lost += 1
            else:
                self._told = self.lost
        elif not self._put(f"{line}\n"):
            self.lost += 1

    def _put(self, text: str) -> bool:
        try:
            if self._file < 0:
                self._stream.write(text)
                self._stream.flush()
            else:
                data = text.encode("utf-8", "replace")
                while data:
                    data = data[os.write(self._file, data) :]
        except (OSError, ValueError):
            return False
        return True


class DatabaseLog:
    """A file of its own for failures of the database, with one predecessor."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def write(self, line: str) -> None:
        with contextlib.suppress(OSError):
            if self._path.exists() and self._path.stat().st_size > LARGEST_DATABASE_LOG:
                self._path.replace(self._path.with_name(f"{self._path.name}.old"))
            file = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(file, f"{line}\n".encode("utf-8", "replace"))
            finally:
                os.close(file)
