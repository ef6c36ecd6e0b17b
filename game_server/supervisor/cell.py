"""This process as a driver of the cell's Ray: connect, start hosts, ask them, end them.

All calls are made in one thread, because Ray's client blocks, and each has a deadline:
Ray waits for ever for an actor that cannot be placed.
"""

from __future__ import annotations

import asyncio
import importlib
import json
import logging
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import structlog

from game_server.supervisor import spares

log = structlog.get_logger()

NAMESPACE = "paiju"
NAME_FREE_WITHIN_S = 5.0
T = TypeVar("T")


@dataclass(frozen=True, kw_only=True)
class NodeState:
    """What a ray_node writes when it is up."""

    pid: int
    address: str
    node_id: str
    session_dir: str
    below: Sequence[int] = ()
    """Its processes."""

    @classmethod
    def read(cls, path: Path) -> NodeState | None:
        try:
            return cls(**json.loads(path.read_text("utf-8")))
        except (OSError, ValueError, TypeError):
            return None


class Cell:
    """actor: "module:Class" of the hosts."""

    def __init__(self, *, name: str, node_ip: str, temp_dir: Path, actor: str) -> None:
        self._name = name
        self._temp_dir = str(temp_dir)
        self._node_ip = node_ip
        self._actor = actor
        self._node = ""
        self._threads = ThreadPoolExecutor(max_workers=1, thread_name_prefix="ray")

    async def connect(self, node: NodeState) -> None:
        await self._do(lambda: self._connect(node))

    async def disconnect(self) -> None:
        import ray

        await self._do(ray.shutdown)

    async def start_host(
        self, name: str, config: dict[str, Any], *, within_s: float, alive: Callable[[], bool]
    ) -> Any:
        """A new actor of that name in place of any other; returns when its tables stand.

        within_s: unless it is `alive`, which is asked then: it rebuilds its tables.
        """
        host = await self._do(lambda: self._new_host(name, config))
        try:
            while True:
                try:
                    await self.ask(host, "info", within_s=within_s)
                    return host
                except TimeoutError:
                    if not alive():
                        raise
        except BaseException:
            await self.end_host(host)
            raise

    async def names(self) -> list[str]:
        """The hosts of the cell that Ray finds by name."""
        return await self._do(self._names)

    async def ask(self, host: Any, method: str, *given: Any, within_s: float) -> Any:
        """The answer of a host. Raises what Ray raises, TimeoutError included."""
        future = getattr(host, method).remote(*given).future()
        return await asyncio.wait_for(asyncio.wrap_future(future), within_s)

    async def end_host(self, host: Any) -> None:
        import ray

        await self._do(lambda: ray.kill(host, no_restart=True))

    async def prestart(self) -> None:
        """One more process that waits for a host to be started in it. Raises what Ray raises."""
        await self._do(lambda: spares.prestart(self._node))

    async def _do(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    # ---- in the thread ---------------------------------------------------------------------

    def _connect(self, node: NodeState) -> None:
        import ray

        # What it tells is for a person at a notebook; what matters comes as an exception.
        logging.getLogger("ray").setLevel(logging.CRITICAL)
        if ray.is_initialized():
            ray.shutdown()
        ray.init(
            address=node.address,
            namespace=NAMESPACE,
            _node_ip_address=self._node_ip,
            _temp_dir=self._temp_dir,  # ours, of several nodes on this machine
            log_to_driver=False,
            configure_logging=False,
        )
        self._node = node.node_id

    def _new_host(self, name: str, config: dict[str, Any]) -> Any:
        import ray
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        module, _, attribute = self._actor.partition(":")
        kind = ray.remote(getattr(importlib.import_module(module), attribute)).options(
            name=self._full(name),
            lifetime="detached",
            max_restarts=-1,
            num_cpus=0,
            scheduling_strategy=NodeAffinitySchedulingStrategy(node_id=self._node, soft=False),
        )
        until = time.monotonic() + NAME_FREE_WITHIN_S
        while True:
            self._end_named(name)
            try:
                return kind.remote(config)
            except ValueError:  # the name is not free yet
                if time.monotonic() > until:
                    raise
                time.sleep(0.1)

    def _end_named(self, name: str) -> None:
        """The head remembers actors of our predecessor; they have old settings."""
        import ray

        try:
            other = ray.get_actor(self._full(name), namespace=NAMESPACE)
        except ValueError:
            return
        log.info("host.replaced", host=name)
        ray.kill(other, no_restart=True)

    def _names(self) -> list[str]:
        import ray.util

        found = ray.util.list_named_actors(all_namespaces=True)
        mine = [one["name"] for one in found if one["namespace"] == NAMESPACE]
        start = self._full("")
        return sorted(name.removeprefix(start) for name in mine if name.startswith(start))

    def _full(self, host: str) -> str:
        return f"host:{self._name}:{host}"
