"""What the tests of Shengji and Dagunzi share: short packs, random and bot hands, timing."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from games.shengji.game import TrickGame
from games.shengji.state import State
from paiju.rules.api import CHANCE
from paiju.rules.cards import parse_cards
from paiju.rules.shuffle import ShakeRng
from paiju.rules.testkit import run_kit

PACKS = {
    1: ("2h 2s 3h 4h 5h Kh 6h 3s 4s 5s Ks Th Ts 6s BJ RJ", 4),
    2: ("2h 2s 3h 4h 5h Kh BJ RJ", 4),
    3: ("2h 3h 4s Kh BJ RJ", 2),
}
"""Decks -> one deck of a short pack, cards of the bottom."""


def short(game: TrickGame) -> TrickGame:
    """With a pack of so few cards that pairs, runs and claims are common."""
    deck, bottom = PACKS[game.decks]
    game.use_pack(parse_cards(deck) * game.decks, bottom)
    return game


def apply_all(state: State, *actions: tuple[int, str]) -> None:
    for seat, line in actions:
        state.apply(seat, state.game.parse(state, seat, line))


def begun(
    game: TrickGame,
    hands: Sequence[str],
    bottom: str = "",
    *,
    first: int = 0,
    carry: Mapping[str, Any] | None = None,
) -> State:
    """Any equal hands, dealt out; in the phase of claims."""
    state = game.new_state(4, carry=carry)
    piles = [parse_cards(text) for text in hands]
    pack = [piles[(first + i) % 4][i // 4] for i in range(4 * len(piles[0]))]
    under = parse_cards(bottom)
    state.deal_unchecked(first, bytes(pack + under), len(under))
    return state


def wealth(number: int) -> Sequence[int] | None:
    return None if number % 2 else [(number * 37) % 90, 5, (number * 11) % 40, 100]


def check_promises(games: Sequence[Callable[[], TrickGame]], *, hands: int) -> None:
    """The kit over so many short hands, spread over the games; whole hands are played by
    test_conformance.

    Few steps get the costly checks here; the soak makes them at one of ten.
    """
    played = 0
    for make in games:
        report = run_kit(
            short(make()), hands=-(-hands // len(games)), seed="kit", wealth=wealth, deep_every=100
        )
        played += report.hands
        # Three cards are often known altogether; whole hands always have another world.
        assert report.worlds_differ >= 0.7 * report.worlds
        assert report.patch_p95() <= 600
    assert played >= hands


def check_promises_long(make: Callable[[], TrickGame], *, hands: int, whole: int) -> None:
    full = run_kit(make(), hands=whole, seed="soak", deep_every=40)
    assert full.worlds_differ >= 0.9 * full.worlds
    assert full.patch_p95() <= 600
    report = run_kit(short(make()), hands=hands, seed="soak", wealth=wealth, deep_every=10)
    assert report.hands == hands
    assert report.worlds_differ >= 0.7 * report.worlds


def steps(game: TrickGame, seed: str, *, carry: Mapping[str, Any] | None = None) -> Iterator[State]:
    """A random hand, a state before each action of a seat, and the final one."""
    rng = ShakeRng(seed.encode())
    state = game.new_state(4, carry=carry)
    while not state.is_terminal():
        seat = state.to_act()[0]
        if seat == CHANCE:
            state.apply(seat, state.sample_chance(rng))
            continue
        yield state
        legal = state.legal_actions(seat)
        state.apply(seat, legal[rng.below(len(legal))])
    yield state


def duel(game: TrickGame, deal: int, *, bots: int) -> int:
    """What the bots' team wins against random players."""
    chance, other = ShakeRng(b"deal %d" % deal), ShakeRng(b"other %d" % deal)
    state = game.new_state(4)
    while not state.is_terminal():
        seat = state.to_act()[0]
        if seat == CHANCE:
            state.apply(seat, state.sample_chance(chance))
            continue
        legal = state.legal_actions(seat)
        action = legal[other.below(len(legal))]
        if seat % 2 == bots:
            action = state.hint(seat)
            assert action in legal
        state.apply(seat, action)
    return state.outcome().deltas[bots]


def assert_better(game: TrickGame, deals: int) -> None:
    """Each deal twice, the bots in either team: the mean is above 0 by 2.33 standard errors."""
    won = [sum(duel(game, deal, bots=side) for side in (0, 1)) for deal in range(deals)]
    error = statistics.stdev(won) / len(won) ** 0.5
    assert statistics.mean(won) > 2.33 * error


def cpu_seconds(work: Callable[[], object], times: int = 3) -> float:
    """The least processor time of several runs."""
    spent = []
    for _ in range(times):
        begun = time.thread_time()
        work()
        spent.append(time.thread_time() - begun)
    return min(spent)
