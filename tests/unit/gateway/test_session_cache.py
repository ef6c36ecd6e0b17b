"""The sealed cache of sessions: short-lived, bounded, bound, and never a secret in it."""

from __future__ import annotations

import subprocess
import sys

import pytest

from game_server.gateway.session_cache import MAX_ENTRY_BYTES, SessionCache
from paiju.wire.v1 import common_pb2, hall_pb2


def session(
    player: int = 7, epoch: int = 3, coin: int = 100, name: str = "Ann"
) -> hall_pb2.Session:
    return hall_pb2.Session(
        profile=common_pb2.Profile(player=player, name=name),
        session_epoch=epoch,
        ticket="a ticket that opens the session",
        refresh_token="a refresh token",
        wallet=hall_pb2.Wallet(coin=coin),
    )


def test_it_recalls_profile_and_balance_and_nothing_that_opens_a_session() -> None:
    cache = SessionCache(now=0.0)
    cache.remember(session(), 0.0)
    known = cache.recall(7, 3, 1.0)
    assert known is not None
    assert (known.profile.name, known.wallet.coin) == ("Ann", 100)
    assert not known.ticket and not known.refresh_token
    assert cache.recall(8, 3, 1.0) is None


def test_an_entry_runs_out_and_goes_when_coins_move() -> None:
    cache = SessionCache(now=0.0, ttl_s=10)
    cache.remember(session(), 0.0)
    assert cache.recall(7, 3, 9.9) is not None
    assert cache.recall(7, 3, 10.0) is None and len(cache) == 0
    cache.remember(session(), 10.0)
    cache.forget(7)
    assert cache.recall(7, 3, 10.0) is None


def test_all_entries_go_with_their_key() -> None:
    cache = SessionCache(now=0.0, ttl_s=1000, key_s=60)
    cache.remember(session(player=1), 0.0)
    assert cache.recall(1, 3, 59.0) is not None
    assert cache.recall(1, 3, 60.0) is None
    cache.remember(session(player=2), 61.0)
    assert len(cache) == 1 and cache.recall(2, 3, 62.0) is not None


@pytest.mark.parametrize("change", ["epoch", "player", "bit"])
def test_what_is_bound_elsewhere_or_edited_is_not_believed(change: str) -> None:
    cache = SessionCache(now=0.0)
    cache.remember(session(), 0.0)
    since, sealed = cache._sealed[7]
    asked = (7, 4) if change == "epoch" else (9, 3) if change == "player" else (7, 3)
    if change == "bit":
        sealed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    cache._sealed[asked[0]] = (since, sealed)
    assert cache.recall(*asked, 1.0) is None
    assert cache.broken == 1
    assert cache.recall(*asked, 1.0) is None and cache.broken == 1, "it is gone"


def test_it_is_bounded() -> None:
    cache = SessionCache(now=0.0, entries=10)
    for player in range(1, 100):
        cache.remember(session(player=player), 0.0)
    assert len(cache) == 10
    assert cache.recall(99, 3, 0.0) is not None and cache.recall(1, 3, 0.0) is None
    cache.remember(session(player=99, name="x" * MAX_ENTRY_BYTES), 0.0)
    assert cache.recall(99, 3, 0.0) is None


def test_nothing_of_it_is_in_the_clear() -> None:
    cache = SessionCache(now=0.0)
    cache.remember(session(name="Annabel Lee"), 0.0)
    _, sealed = cache._sealed[7]
    again = SessionCache(now=0.0)
    again.remember(session(name="Annabel Lee"), 0.0)
    assert b"Annabel" not in sealed and b"Annabel" not in repr(cache).encode()
    assert again._sealed[7][1] != sealed


def test_a_process_that_forbids_dumps_cannot_be_dumped() -> None:
    """In a child: what it forbids is for good."""
    code = (
        "import ctypes, resource; from paiju.service.process import forbid_dumps; forbid_dumps();"
        "print(ctypes.CDLL(None).prctl(3, 0, 0, 0, 0), resource.getrlimit(resource.RLIMIT_CORE))"
    )
    said = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    assert said.strip() == "0 (0, 0)"
