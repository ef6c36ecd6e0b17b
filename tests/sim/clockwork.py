"""An event loop in virtual time, and the processes that live on it.

The loop runs the product's own coroutines. Nothing in it waits: when nobody has anything to
do, time jumps to the next timer. Which process a callback belongs to is in its context
(`PROCESS`), which asyncio hands down to every task and timer; so a process that is killed
runs no further line, not even a `finally`, and one that is stopped (SIGSTOP) finds all that
happened meanwhile when it goes on.

Deterministic: callbacks of one moment run in the order in which they were asked for.
"""

from __future__ import annotations

import asyncio
import contextvars
import heapq
from asyncio import events
from collections import deque
from collections.abc import Callable, Coroutine
from random import Random
from typing import Any

PROCESS: contextvars.ContextVar[Process] = contextvars.ContextVar("process")


HELD_S = 0.02
"""How often work in a thread looks whether its database is free."""


class Process:
    """Something that can be killed or stopped as a whole, with clocks of its own.

    wall_us: how far its wall clock is from the world's true time. base_s: where its monotonic
    clock began; two processes never agree, so that comparing their clocks shows.
    """

    def __init__(self, loop: SimLoop, name: str, *, wall_us: int = 0, base_s: float = 0.0) -> None:
        self.loop = loop
        self.name = name
        self.wall_us = wall_us
        self.base_s = base_s
        self.alive = True
        self.stopped = False
        self.on_end: list[Callable[[], None]] = []
        """Called when it ends: what the kernel does for it, such as closing its sockets."""
        self.context = contextvars.copy_context()
        self.context.run(PROCESS.set, self)
        self._backlog: list[Handle] = []

    def __repr__(self) -> str:
        return self.name

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        return self.loop.create_task(work, context=self.context)

    def monotonic(self) -> float:
        return self.base_s + self.loop.now

    def kill(self) -> None:
        """kill -9."""
        if self.alive:
            self.alive = False
            self._backlog.clear()
            for work in self.on_end:
                work()

    def stop(self) -> None:
        """SIGSTOP."""
        self.stopped = True

    def go_on(self) -> None:
        """SIGCONT."""
        self.stopped = False
        backlog, self._backlog = self._backlog, []
        self.loop.ready.extend(backlog)

    def holds(self, handle: Handle) -> bool:
        """Whether the handle may not run now; it is kept when it may later."""
        if not self.alive:
            return True
        if self.stopped:
            self._backlog.append(handle)
            return True
        return False


class Handle:
    """Of a callback. Like asyncio.TimerHandle, as far as asyncio and the product use one."""

    __slots__ = ("_args", "_callback", "_cancelled", "_when", "context")

    def __init__(
        self,
        callback: Callable[..., object],
        args: tuple[Any, ...],
        context: contextvars.Context | None,
        when: float = 0.0,
    ) -> None:
        self._callback = callback
        self._args = args
        self._when = when
        self._cancelled = False
        self.context = contextvars.copy_context() if context is None else context

    def cancel(self) -> None:
        self._cancelled = True

    def cancelled(self) -> bool:
        return self._cancelled

    def when(self) -> float:
        return self._when

    def run(self) -> None:
        if self._cancelled:
            return
        process = self.context.get(PROCESS)
        if process is not None and (process.stopped or not process.alive) and process.holds(self):
            return
        self.context.run(self._callback, *self._args)


class SimLoop(asyncio.AbstractEventLoop):
    """`now`: seconds since the world began. `executor_s`: how long work in a thread takes;
    `waits`: whether a process's work in a thread finds its database held by another.

    entropy: what the world's processes draw from.
    """

    def __init__(self, entropy: Random) -> None:
        self.now = 0.0
        self.entropy = entropy
        self.waits: Callable[[Process], bool] = lambda process: False
        self.ready: deque[Handle] = deque()
        self.executor_s: Callable[[], float] = lambda: 0.0
        self.steps = 0
        self._timers: list[tuple[float, int, Handle]] = []
        self._count = 0
        self._tasks: list[asyncio.Task[Any]] = []
        self._over = False
        self.listeners: dict[str, Any] = {}
        self.connect: Callable[..., Coroutine[Any, Any, Any]] | None = None

    # ---- what asyncio asks of a loop -------------------------------------------------------

    def time(self) -> float:
        return self.now

    def get_debug(self) -> bool:
        return False

    def is_running(self) -> bool:
        return True

    def is_closed(self) -> bool:
        return self._over

    def call_soon(
        self,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Any:
        handle = Handle(callback, args, context)
        if not self._over:
            self.ready.append(handle)
        return handle

    call_soon_threadsafe = call_soon

    def call_later(
        self,
        delay: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Any:
        return self.call_at(self.now + delay, callback, *args, context=context)

    def call_at(
        self,
        when: float,
        callback: Callable[..., object],
        *args: Any,
        context: contextvars.Context | None = None,
    ) -> Any:
        handle = Handle(callback, args, context, when)
        if not self._over:
            self._count += 1
            heapq.heappush(self._timers, (when, self._count, handle))
        return handle

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.Future(loop=self)

    def create_task(
        self,
        coro: Any,
        *,
        name: str | None = None,
        context: contextvars.Context | None = None,
    ) -> asyncio.Task[Any]:
        # Kept to the end: a task that is collected before would run its `finally`.
        task: asyncio.Task[Any] = asyncio.Task(coro, loop=self, name=name, context=context)
        self._tasks.append(task)
        return task

    def run_in_executor(  # type: ignore[override]
        self, executor: object, func: Callable[..., Any], *args: Any
    ) -> asyncio.Future[Any]:
        """The work happens at one moment, `executor_s` later."""
        future = self.create_future()
        process = PROCESS.get()

        def work() -> None:
            if future.done():
                return
            if self.waits(process):
                self.call_later(HELD_S, work)
                return
            try:
                future.set_result(func(*args))
            except Exception as error:
                future.set_exception(error)

        self.call_later(self.executor_s(), work)
        return future

    def call_exception_handler(self, context: dict[str, Any]) -> None:
        error = context.get("exception")
        if not self._over and error is not None and "never retrieved" not in context["message"]:
            raise error

    async def create_unix_server(self, factory: Any, path: Any, **more: Any) -> Any:
        assert self.connect is not None
        listener = Listener(self, str(path), factory)
        self.listeners[str(path)] = listener
        return listener

    async def create_unix_connection(self, factory: Any, path: Any, **more: Any) -> Any:
        assert self.connect is not None
        return await self.connect(factory, str(path))

    # ---- running ---------------------------------------------------------------------------

    def run_until(self, end: float, *, most_steps: int = 10**9) -> None:
        """Let the world go on until then. RuntimeError when it never comes to rest."""
        before = events._get_running_loop()
        events._set_running_loop(self)
        ready, timers = self.ready, self._timers
        try:
            while True:
                while ready:
                    self.steps += 1
                    if self.steps > most_steps:
                        raise RuntimeError(f"more than {most_steps} steps until {self.now:.3f} s")
                    ready.popleft().run()
                if not timers or timers[0][0] > end:
                    break
                when, _, handle = heapq.heappop(timers)
                if when > self.now:
                    self.now = when
                ready.append(handle)
            self.now = max(self.now, end)
        finally:
            events._set_running_loop(before)

    def close(self) -> None:
        """The world is over: what still waited is thrown away, and nothing it says is heard."""
        self._over = True
        self.ready.clear()
        self._timers.clear()
        for task in self._tasks:
            if not task.done():
                task._log_destroy_pending = False  # type: ignore[attr-defined]
                try:
                    task.get_coro().close()  # type: ignore[union-attr]
                except BaseException:
                    continue  # a `finally` of somebody who is dead already
        self._tasks.clear()


class Listener:
    """A listening socket; closed with its process."""

    def __init__(self, loop: SimLoop, path: str, factory: Callable[[], Any]) -> None:
        self._loop = loop
        self._path = path
        self.factory = factory
        self.process = PROCESS.get()
        self.process.on_end.append(self.close)

    def close(self) -> None:
        if self._loop.listeners.get(self._path) is self:
            del self._loop.listeners[self._path]
