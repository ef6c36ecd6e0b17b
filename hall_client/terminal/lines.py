"""Lines from standard input, for a loop that has other things to wait for, too.

A thread reads, because a terminal in its normal mode can be read in no other portable way.
It is a daemon: a read that never ends must not keep the program from ending.
"""

from __future__ import annotations

import asyncio
import sys
import threading
from typing import TextIO


class Lines:
    """`get` gives the next line without its end; None once the input has ended."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdin
        self._loop = asyncio.get_running_loop()
        self._queue: asyncio.Queue[str | None] = asyncio.Queue()
        self.ended = False
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    @property
    def interactive(self) -> bool:
        """Whether a person sits in front: lines come when they are typed."""
        return self._stream.isatty()

    def push(self, line: str) -> None:
        """As if it had been typed."""
        self._queue.put_nowait(line)

    async def get(self) -> str | None:
        if self.ended:
            return None
        line = await self._queue.get()
        self.ended = line is None
        return line

    def _read(self) -> None:
        try:
            for line in self._stream:
                self._loop.call_soon_threadsafe(self._queue.put_nowait, line.rstrip("\r\n"))
            self._loop.call_soon_threadsafe(self._queue.put_nowait, None)
        except (RuntimeError, ValueError):
            pass  # the loop or the stream was closed: nobody listens any longer
