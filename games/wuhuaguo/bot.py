"""The bot: plays from a view, never from a state; the hint button is its move.

A hand is worth the number of turns it takes to play it out, the least over all ways to divide
it into plays (`burden`); high plays count less, since they win the lead back. The bot plays
what leaves the least, low things first, spends high cards and bombs late, and hurries when
somebody is near the end. Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from paiju.rules.cards import mask_of, parse_cards
from paiju.rules.climbing import PASS, Reading, shown_reading
from paiju.rules.climbing.packed import ONE, RUN_RANKS, count_of, counts_of, size_of

if TYPE_CHECKING:
    from games.wuhuaguo.rules import Wuhuaguo

_DECLARE = 1
_RUNS = ((1, 4), (2, 2), (3, 2))
"""Copies and shortest length of what is counted as one play."""
_TOP = 12
_CARRY = 0.8
"""What a triple saves by carrying a small card or pair."""
_NEAR = 3
"""So few cards make an opponent dangerous."""


def gain(copies: int, rank: int, length: int = 1) -> float:
    """About how likely a play wins the lead back, 0..1; a bomb nearly always."""
    if copies == 4:
        return 1.2
    if length > 1:
        return min(0.9, 0.25 + 0.05 * rank)
    start = {1: 8, 2: 6, 3: 2}[copies]
    return max(0.0, min(0.95, 0.95 * (rank - start) / (_TOP - start)))


@lru_cache(1 << 15)
def burden(counts: int) -> float:
    """About how often the hand must be given the lead to get rid of it; 0 when empty."""
    if not counts:
        return 0.0
    rank = ((counts & -counts).bit_length() - 1) >> 2
    held, one = count_of(counts, rank), ONE[rank]
    best = 99.0
    for copies in range(1, held + 1):
        rest = counts - one * copies
        price = 1.0 - gain(copies, rank)
        if copies == 3:
            price -= _carried(rest)
        best = min(best, price + burden(rest))
    for copies, shortest in _RUNS:
        taken, top = 0, rank
        while top < RUN_RANKS and count_of(counts, top) >= copies:
            taken += one * copies
            one <<= 4
            top += 1
            length = top - rank
            if length >= shortest:
                price = 1.0 - gain(copies, top - 1, length)
                best = min(best, price + burden(counts - taken))
        one = ONE[rank]
    return best


def _carried(rest: int) -> float:
    """What a triple saves when the rest has a lone card or pair to carry."""
    small = any(1 <= count_of(rest, rank) <= 2 for rank in range(_TOP - 2))
    return _CARRY if small else 0.0


class FigBot:
    """Bot of one room's rules."""

    def __init__(self, game: Wuhuaguo) -> None:
        self._combos = game.kinds.combos

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """One of `legal`, chosen from the view of the seat whose turn it is."""
        if view["phase"] == "declare":
            return _DECLARE if _DECLARE in legal else PASS
        if len(legal) == 1:
            return legal[0]
        hand = counts_of(mask_of(parse_cards(" ".join(view["hand"]))))
        me: int = view["to_act"][0]
        others = [left for seat, left in enumerate(view["counts"]) if seat != me]
        table = None if view["table"] is None else shown_reading(view["table"])
        return self._best(legal, hand, table, min(others))

    def _best(self, legal: Sequence[int], hand: int, table: Reading | None, near: int) -> int:
        danger = near <= _NEAR
        now = burden(hand)
        best, best_score = legal[0], -99.0
        for action in legal:
            if action == PASS:
                score = -0.6 if danger else -0.05
            else:
                counts = counts_of(action >> 8)
                reading = self._combos.reading_on(counts, table, None)
                if reading is None:
                    continue  # another reading of cards that are listed with the usual one, too
                if counts == hand:
                    return action
                score = now - burden(hand - counts) + self._tempo(reading, counts, table, near)
            if score > best_score:
                best, best_score = action, score
        return best

    def _tempo(self, reading: Reading, counts: int, table: Reading | None, near: int) -> float:
        """What the play is worth besides the cards it takes away."""
        size = size_of(counts)
        copies = max(count_of(counts, rank) for rank in range(_TOP + 1))
        keeps = gain(copies if reading.kind != "straight" else 1, reading.rank, reading.length)
        if reading.kind == "bomb":
            return 0.6 if near <= _NEAR else -0.5
        if table is None:
            worth = 0.04 * size - 0.04 * reading.rank
            if near == size == 1:
                worth -= 1.5 - 0.12 * reading.rank  # do not lead what somebody can end on
            return worth
        return 0.5 * min(1.0, keeps) + (0.05 * size if near <= _NEAR else 0.0)
