"""Runs of many hands."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from paiju.rules import shuffle
from paiju.rules.api import Game
from paiju.rules.testkit._hand import Depth, Hand
from paiju.rules.testkit._report import Report, Violation

Wealth = Callable[[int], Sequence[int] | None]
MATCH = 4
"""Hands of a match at most: the outcome of one is carried to the next."""


def score_play(hand: int) -> None:
    """Nobody has anything to lose."""


def run_kit(
    game: Game,
    *,
    hands: int,
    seed: int | str,
    seats: int | None = None,
    wealth: Wealth = score_play,
    deep_every: int = 8,
    secrets_every: int | None = None,
    viewers: int = 0,
    dear_every: int = 4,
) -> Report:
    """Play random hands and check every promise; Violation at the first broken one.

    seats: drawn for each match when None. wealth: what each seat has in hand number i, as
    many as there may be seats (None: score play). For the rest see Depth;
    secrets_every is deep_every when None. Equal seeds give
    equal runs.
    """
    depth = Depth(deep_every, secrets_every or deep_every, viewers, dear_every)
    return _run(game, hands, seed, seats, wealth, depth, Hand.play)


def run_light(
    game: Game,
    *,
    hands: int,
    seed: int | str,
    seats: int | None = None,
    wealth: Wealth = score_play,
) -> Report:
    """Many hands, each with little: no dead end, an end in time, conserved points, a snapshot
    in one place, and a replay of the whole."""
    return _run(game, hands, seed, seats, wealth, Depth(), Hand.play_light)


def _run(
    game: Game,
    hands: int,
    seed: int | str,
    seats: int | None,
    wealth: Wealth,
    depth: Depth,
    play: Callable[[Hand], Mapping[str, Any]],
) -> Report:
    report = Report()
    luck = shuffle.ShakeRng(f"matches {seed}".encode())
    carry: Mapping[str, Any] = {}
    left = present = pot = 0
    for number in range(hands):
        if not left:
            left, carry, pot = 1 + luck.below(MATCH), {}, 0
            present = seats or _seats(game, luck)
        left -= 1
        purses = wealth(number)
        hand = Hand(
            game=game,
            seats=present,
            wealth=None if purses is None else list(purses[:present]),
            carry=carry,
            number=number,
            seed=f"{seed}:{number}",
            report=report,
            depth=depth,
        )
        carry = play(hand)
        pot += hand.state.outcome().pot_change
        if pot < 0:
            raise Violation("outcome", f"the pot of a match holds {pot}", hand.texts)
    return report


def _seats(game: Game, luck: shuffle.ShakeRng) -> int:
    """Every second match is a full table."""
    few, most = game.info.min_seats, game.info.max_seats
    return most if luck.below(2) else few + luck.below(most - few + 1)
