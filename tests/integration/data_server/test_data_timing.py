"""Whether a name exists cannot be told from how long a wrong password takes."""

from __future__ import annotations

import bisect
import secrets
import time
from collections.abc import Sequence
from typing import Any

import pytest
from data_hall import Client

from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

EACH = 1500
_MANY = 10**6


def auc(first: Sequence[float], second: Sequence[float]) -> float:
    """The chance that one of `second` is above one of `first`, ties counted half."""
    ordered = sorted(first)
    above = sum(
        bisect.bisect_left(ordered, value) + bisect.bisect_right(ordered, value) for value in second
    )
    return above / (2 * len(first) * len(second))


def test_the_measure_itself() -> None:
    assert auc([1, 2, 3], [4, 5]) == 1.0
    assert auc([4, 5], [1, 2, 3]) == 0.0
    assert auc([1, 2, 3], [1, 2, 3]) == 0.5


@pytest.mark.soak
@pytest.mark.timeout(900)
async def test_known_and_unknown_names_take_the_same_time(start: Any) -> None:
    client: Client = await start(
        lock_free=_MANY, lock_free_account=_MANY, lock_free_address=_MANY, check_s=3600
    )
    await client.accounts.Register(
        data_pb2.RegisterRequest(op=new_op(), name="somebody", password="correct horse")
    )
    origin = data_pb2.Origin(server="gs1", gateway="g0", address="192.0.2.1")

    async def seconds(name: str) -> float:
        request = data_pb2.LoginRequest(origin=origin, name=name, password="wrong guess")
        begun = time.perf_counter()
        reply = await client.accounts.Login(request)
        took = time.perf_counter() - begun
        assert reply.refusal.code == "BAD_CREDENTIALS"
        return took

    order = ["somebody", "no-body-"] * EACH
    secrets.SystemRandom().shuffle(order)
    for name in ("somebody", "no-body-"):  # rows and caches are there
        await seconds(name)
    times: dict[str, list[float]] = {"somebody": [], "no-body-": []}
    for name in order:
        times[name].append(await seconds(name))
    measured = auc(times["somebody"], times["no-body-"])
    print(f"AUC {measured:.3f} over {EACH} + {EACH} logins")
    assert 0.45 <= measured <= 0.55
