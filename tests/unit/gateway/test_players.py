"""Who is here: pairs decide, and an end removes only itself."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from game_server.gateway.players import Players


def test_the_newer_pair_replaces_the_older() -> None:
    players: Players[str] = Players()
    assert players.claim(1, (1, 0), "a") is None
    assert not players.is_stale(1, (1, 1), "b")
    assert players.claim(1, (1, 1), "b") == "a"
    assert players.is_stale(1, (1, 0), "c")
    assert not players.release(1, "a")
    assert players.get(1) == "b"
    assert players.release(1, "b")
    assert len(players) == 0
    assert not players.release(1, "b")


def test_the_same_pair_replaces_too_but_lower_never() -> None:
    players: Players[str] = Players()
    players.claim(1, (2, 3), "a")
    assert not players.is_stale(1, (2, 3), "b")
    assert not players.is_stale(1, (3, 0), "b")
    assert players.is_stale(1, (1, 9), "b")


def test_an_own_renewal_replaces_nobody() -> None:
    players: Players[str] = Players()
    players.claim(1, (1, 4), "a")
    assert not players.is_stale(1, (2, 4), "a")
    assert players.claim(1, (2, 4), "a") is None
    assert players.is_stale(1, (1, 9), "b")


def test_what_was_ended_stays_out() -> None:
    players: Players[str] = Players()
    players.claim(1, (1, 0), "a")
    assert players.end_below(1, 3) == "a"
    assert players.end_below(2, 3) is None
    players.end_below(1, 2)
    assert players.is_stale(1, (2, 9), "b")
    assert not players.is_stale(1, (3, 0), "b")


@given(seed=st.integers(0, 10_000))
def test_any_order_ends_with_the_newest(seed: int) -> None:
    rng = random.Random(seed)
    players: Players[tuple[int, int]] = Players()
    pairs = [(epoch, number) for epoch in range(1, 4) for number in range(3)]
    rng.shuffle(pairs)
    ghosts: list[tuple[int, int]] = []  # replaced, their ends come late
    holder: tuple[int, int] | None = None
    for pair in pairs:
        if players.is_stale(7, pair, pair):
            assert holder is not None
            assert pair < holder
        else:
            replaced = players.claim(7, pair, pair)
            assert replaced == holder
            ghosts += [replaced] if replaced is not None else []
            holder = pair
        if ghosts and rng.random() < 0.5:
            assert not players.release(7, ghosts.pop())
        if holder is not None and rng.random() < 0.1:
            assert players.release(7, holder)
            holder = None
        assert players.get(7) == holder
