"""Time and chance of the simulated world, in the place of the machine's.

Product code asks `time` and `secrets` as always. While the stage is set, whoever asks from
inside a simulated process gets that process's clocks and the world's seeded chance; everybody
else (pytest, its threads) gets the machine's.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest import mock

import structlog

from game_server.gateway import follower, gateway, links
from game_server.gateway.links import Links
from game_server.gateway.router import Router
from game_server.gateway.tickets import Tickets
from game_server.tables import money, outbox
from tests.sim.clockwork import PROCESS

WORLD_BEGAN_US = 1_790_000_000 * 10**6
"""True wall time when a world begins."""

_monotonic = time.monotonic
_time_ns = time.time_ns
_token_bytes = secrets.token_bytes
_randbits = secrets.randbits


def monotonic() -> float:
    process = PROCESS.get(None)
    return _monotonic() if process is None else process.base_s + process.loop.now


def wall_ns() -> int:
    process = PROCESS.get(None)
    if process is None:
        return _time_ns()
    return (WORLD_BEGAN_US + process.wall_us + int(process.loop.now * 1e6)) * 1000


def token_bytes(size: int | None = None) -> bytes:
    process = PROCESS.get(None)
    if process is None:
        return _token_bytes(size)
    return process.loop.entropy.randbytes(32 if size is None else size)


def randbits(bits: int) -> int:
    process = PROCESS.get(None)
    return _randbits(bits) if process is None else process.loop.entropy.getrandbits(bits)


class _Uniform:
    """In the place of the SystemRandom that modules draw their jitter from."""

    def __init__(self, real: Any) -> None:
        self._real = real

    def uniform(self, low: float, high: float) -> float:
        process = PROCESS.get(None)
        source = self._real if process is None else process.loop.entropy
        drawn: float = source.uniform(low, high)
        return drawn


@contextmanager
def set_stage(*, logs: Callable[..., Any] | None = None) -> Iterator[None]:
    """logs: a structlog processor that takes every event; None: nobody logs."""
    with ExitStack() as stack:

        def put(target: object, name: str, value: object) -> None:
            stack.enter_context(mock.patch.object(target, name, value))

        put(time, "monotonic", monotonic)
        put(time, "time_ns", wall_ns)
        put(secrets, "token_bytes", token_bytes)
        put(secrets, "randbits", randbits)
        for module, name in (
            (money, "_jitter"),
            (outbox, "_jitter"),
            (gateway, "_random"),
            (links, "_random"),
            (follower, "_random"),
        ):
            put(module, name, _Uniform(getattr(module, name)))
        for kind in (Router, Links, Tickets):
            defaults = kind.__init__.__kwdefaults__  # type: ignore[misc]
            stack.enter_context(mock.patch.dict(defaults, {"clock": monotonic}))
        put(gateway, "SWEEP_S", 1.0)  # less often, for it costs as much in a world of ten seconds
        before = structlog.get_config()
        stack.callback(lambda: structlog.configure(**before))
        structlog.configure(
            processors=[logs or _drop],
            wrapper_class=structlog.make_filtering_bound_logger(0 if logs else 50),
            cache_logger_on_first_use=False,
        )
        yield


def _drop(*_: Any) -> Any:
    raise structlog.DropEvent
