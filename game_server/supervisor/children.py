"""A child process that is kept alive: started again with growing pauses when it dies.

Every child ends with its parent by its own doing (PR_SET_PDEATHSIG) and has a session of its
own, so that Ctrl-C in a terminal reaches only the supervisor, which ends them in order.
"""

from __future__ import annotations

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

import structlog

from game_server.supervisor.leftovers import Record
from game_server.supervisor.metrics import SupervisorMetrics

log = structlog.get_logger()

FIRST_PAUSE_S = 0.1
LONGEST_PAUSE_S = 10.0
SETTLED_S = 30.0
"""Who lived that long starts again at once when it dies."""
CRASH_LOOP = 4
"""So many deaths in a row, none settled, are a crash loop."""


class Child:
    """Runs `command()` again and again until `stop`. `check`: whether it is ready."""

    def __init__(
        self,
        *,
        name: str,
        command: Callable[[], Sequence[str]],
        environment: Mapping[str, str],
        check: Callable[[], Awaitable[bool]],
        record: Record,
        metrics: SupervisorMetrics,
    ) -> None:
        self.name = name
        self.ready = asyncio.Event()
        self.died = asyncio.Event()
        """Set at each death; who waits for it clears it."""
        self.deaths_in_a_row = 0
        self._command = command
        self._environment = environment
        self._check = check
        self._record = record
        self._metrics = metrics
        self._process: asyncio.subprocess.Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._stopping = False
        self._planned = False  # its next death was asked for

    @property
    def pid(self) -> int:
        """0 while it is not running."""
        process = self._process
        return 0 if process is None or process.returncode is not None else process.pid

    def start(self) -> None:
        self._task = asyncio.ensure_future(self._run())

    async def stop(self, *, within_s: float) -> None:
        """SIGTERM, and SIGKILL when it has not ended in time."""
        self._stopping = True
        if self._process is None and self._task is not None:
            self._task.cancel()
        self._signal(signal.SIGTERM)
        if self._task is None:
            return
        done, _ = await asyncio.wait([self._task], timeout=within_s)
        if not done:
            log.warning("child.killed", process=self.name)
            self._signal(signal.SIGKILL)
            await asyncio.wait([self._task])

    async def restart(self, *, within_s: float) -> None:
        """SIGTERM, and SIGKILL when it has not ended in time; until the next one is ready."""
        before = self.pid
        if before:
            self._planned = True
            self._signal(signal.SIGTERM)
        until = time.monotonic() + within_s
        while self.pid in (0, before) or not self.ready.is_set():
            if self.pid == before and time.monotonic() > until:
                log.warning("child.killed", process=self.name)
                self._signal(signal.SIGKILL)
                until = time.monotonic() + within_s
            await asyncio.sleep(0.05)

    def kill(self) -> None:
        """It will be started again."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self._process is not None and self._process.returncode is None:
            self._process.send_signal(number)

    async def _run(self) -> None:
        up = self._metrics.up.labels(self.name)
        restarts = self._metrics.restarts.labels(self.name)
        up.set(0)
        while not self._stopping:
            begun = time.monotonic()
            self._process = await asyncio.create_subprocess_exec(
                *self._command(),
                env=dict(self._environment),
                stdin=asyncio.subprocess.DEVNULL,
                start_new_session=True,
            )
            pid = self._process.pid
            self._record.add(pid, self.name)
            if self._stopping:  # `stop` came before there was something to end
                self._signal(signal.SIGTERM)
            probe = asyncio.ensure_future(self._wait_ready(up.set))
            try:
                code = await self._process.wait()
            finally:
                probe.cancel()
            self._process = None
            self._record.remove(pid)
            self.ready.clear()
            up.set(0)
            if self._stopping:
                return
            self.died.set()
            if self._planned:
                self._planned = False
                continue
            restarts.inc()
            lived = time.monotonic() - begun
            self.deaths_in_a_row = 1 if lived > SETTLED_S else self.deaths_in_a_row + 1
            pause = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2 ** (self.deaths_in_a_row - 1))
            say = log.error if self.deaths_in_a_row >= CRASH_LOOP else log.warning
            say(
                "child.crash_loop" if self.deaths_in_a_row >= CRASH_LOOP else "child.died",
                process=self.name,
                code=code,
                lived_s=round(lived, 1),
                again_in_s=pause,
            )
            await asyncio.sleep(pause)

    async def _wait_ready(self, up: Callable[[float], None]) -> None:
        while not await self._check():  # noqa: ASYNC110 - the child cannot tell us
            await asyncio.sleep(0.05)
        up(1)
        self.ready.set()
