"""The processes of a load run, seen from their parent."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

ROOT = Path(__file__).resolve().parents[2]
END_S = 40.0
_LONGEST_LINE = 16 * 1024 * 1024


class WorkerDied(Exception):
    """A process of ours ended before it was told to; its last words are the text."""


class Crew:
    """`async with`; starts one process for each plan, takes what they tell.

    module: what each runs. heard: called with the number of the process and each line that it
    tells, in one event loop.
    """

    def __init__(
        self, module: str, plans: Sequence[msgspec.Struct], heard: Callable[[int, bytes], None]
    ) -> None:
        self._module = module
        self._plans = plans
        self._heard = heard
        self._processes: list[asyncio.subprocess.Process] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._ending = False

    async def __aenter__(self) -> Crew:
        path = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
        for number, plan in enumerate(self._plans):
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", self._module),
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": path},
                limit=_LONGEST_LINE,
                start_new_session=True,  # Ctrl-C is ours to answer
            )
            self._processes.append(process)
            self._tell(process, msgspec.json.encode(plan))
            self._tasks.append(asyncio.create_task(self._listen(number, process)))
        return self

    async def __aexit__(self, *error: object) -> None:
        """They leave the tables; who has not ended in time is ended."""
        self._ending = True
        for process in self._processes:
            if process.stdin is not None and not process.stdin.is_closing():
                process.stdin.close()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=END_S)
        for process in self._processes:
            await self._gone(process)
        await asyncio.gather(*self._tasks, return_exceptions=True)

    @property
    def pids(self) -> list[int]:
        return [process.pid for process in self._processes]

    def say(self, order: dict[str, Any]) -> None:
        """To all of them."""
        for process in self._processes:
            self._tell(process, msgspec.json.encode(order))

    def check(self) -> None:
        """Raises WorkerDied."""
        for task in self._tasks:
            if task.done() and not task.cancelled() and (error := task.exception()) is not None:
                raise error

    @staticmethod
    async def _gone(process: asyncio.subprocess.Process) -> None:
        """A moment for one that has said its last word; then it is killed."""
        try:
            await asyncio.wait_for(process.wait(), 2.0)
        except TimeoutError:
            process.kill()
            await process.wait()

    @staticmethod
    def _tell(process: asyncio.subprocess.Process, line: bytes) -> None:
        assert process.stdin is not None
        with contextlib.suppress(ConnectionError):
            process.stdin.write(line + b"\n")

    async def _listen(self, number: int, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None and process.stderr is not None
        words = asyncio.create_task(process.stderr.read())
        while line := await process.stdout.readline():
            self._heard(number, line)
        last = (await words).decode(errors="replace").strip().splitlines()
        if not self._ending:
            said = f": {last[-1]}" if last else ""
            raise WorkerDied(f"a load process ended with {await process.wait()}{said}")
