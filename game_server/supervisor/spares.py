"""Processes that wait, everything imported, to become a host when one dies.

Ray starts a process for each actor, and a new one has much to import: 1.9 s of CPU on the
machine where this was measured, of which players wait for every moment. A worker that Ray has
started before is taken instead, whichever host it is that must be started again.

`prestart` uses a call of Ray's own node that has no public name; without it hosts start as
well, only later.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib
import os
import signal
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import Any

import structlog

from game_server.supervisor import orphans

log = structlog.get_logger()

LOOK_EVERY_S = 2.0
THERE_WITHIN_S = 30.0
"""A process that was asked for and is not there by then is asked for again."""
KEEP_S = 10 * 365 * 86_400
CALL_S = 5.0
_IDLE = b"ray::IDLE"


class Spares:
    """wanted: so many. ready: whether all hosts stand. node: pid above Ray's processes, or 0."""

    def __init__(
        self,
        *,
        wanted: int,
        ready: Callable[[], bool],
        node: Callable[[], int],
        prestart: Callable[[], Awaitable[None]],
    ) -> None:
        self._wanted = wanted
        self._ready = ready
        self._node = node
        self._prestart = prestart
        self._renewals = 0

    async def run(self) -> None:
        """For ever: while hosts stand and a spare is missing, ask for one."""
        if not self._wanted:
            await asyncio.Event().wait()
        while True:
            await asyncio.sleep(LOOK_EVERY_S)
            node = self._node()
            if not node or not self._ready() or len(idle(node)) >= self._wanted:
                continue
            try:
                await self._prestart()
            except Exception as error:
                log.warning("spare.not_started", error=f"{type(error).__name__}: {error}"[:300])
            await self._there(node)

    async def _there(self, node: int) -> None:
        before, renewals = idle(node), self._renewals
        for _ in range(int(THERE_WITHIN_S / LOOK_EVERY_S)):
            await asyncio.sleep(LOOK_EVERY_S)
            if idle(node) != before or self._renewals != renewals or not self._ready():
                return

    async def renew(self) -> None:
        """End those that wait: they have imported what was installed when they began.

        Returns when others wait, or after a while: a host that is started then has none, and
        imports everything itself.
        """
        node = self._node()
        if not node:
            return
        self._renewals += 1
        old = idle(node)
        for pid in old:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        for _ in range(int(THERE_WITHIN_S / LOOK_EVERY_S)):
            if len(set(idle(node)) - set(old)) >= self._wanted:
                return
            await asyncio.sleep(LOOK_EVERY_S)


def idle(node: int) -> Sequence[int]:
    """The idle workers below that process."""
    below = orphans.descendants(node)
    return sorted(pid for pid in below if _command(pid).startswith(_IDLE))


def _command(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def prestart(node_id: str) -> None:
    """Ask our node of Ray for one more worker. Blocks; for a process that is connected to it."""
    import grpc
    import ray

    # Without types, all of it.
    known: Any = ray
    common, node_manager, services = (
        importlib.import_module(f"ray.core.generated.{name}")
        for name in ("common_pb2", "node_manager_pb2", "node_manager_pb2_grpc")
    )
    (node,) = (node for node in known.nodes() if node["NodeID"] == node_id)
    token = Path(os.environ["RAY_AUTH_TOKEN_PATH"]).read_text("utf-8").strip()
    request = node_manager.PrestartWorkersRequest(
        language=common.PYTHON,
        job_id=bytes.fromhex(ray.get_runtime_context().get_job_id()),
        num_workers=1,
        keep_alive_duration_secs=KEEP_S,
    )
    request.runtime_env_info.serialized_runtime_env = "{}"
    target = f"{node['NodeManagerAddress']}:{node['NodeManagerPort']}"
    with grpc.insecure_channel(target) as channel:
        stub = services.NodeManagerServiceStub(channel)
        metadata = (("authorization", f"Bearer {token}"),)
        stub.PrestartWorkers(request, metadata=metadata, timeout=CALL_S)
