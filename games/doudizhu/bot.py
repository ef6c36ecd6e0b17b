"""The bot: plays from a view, never from a state; the hint button is its move.

It counts how few plays the rest of its hand would need (`partition.fewest`), leads what
brings it closest to empty with the lowest cards, follows when that costs nothing, keeps
bombs for the moment when they win or save the hand, and as a farmer lets the other farmer
run. Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.doudizhu.kinds import COMBOS
from games.doudizhu.partition import fewest
from paiju.rules.cards import RANK_NAMES, mask_of, parse_cards
from paiju.rules.climbing import Reading
from paiju.rules.climbing.packed import ONE, counts_of, size_of

if TYPE_CHECKING:
    from games.doudizhu.rules import Doudizhu

_RANK = {name: rank for rank, name in enumerate(RANK_NAMES)}
_MAX_CANDIDATES = 60
_DANGER = 3  # an enemy with so few cards may be out at any time


def strength(counts: int) -> float:
    """What a hand of 17 is worth in the auction: control cards, bombs, few plays."""
    value = 0.0
    for rank, worth in ((14, 4.0), (13, 3.0), (12, 2.0), (11, 0.8)):
        value += (counts >> 4 * rank & 15) * worth
    value += sum(2.5 for rank in range(13) if counts >> 4 * rank & 15 == 4)
    return value - 0.9 * max(0, fewest(counts) - 6)


class DoudizhuBot:
    """Bot of the classic game."""

    def __init__(self, game: Doudizhu) -> None:
        self._game = game

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """One of `legal`, chosen from the view of the seat whose turn it is."""
        if len(legal) == 1:
            return legal[0]
        hand = counts_of(mask_of(parse_cards(" ".join(view["hand"]))))
        if view["phase"] == "bid":
            return self._bid(hand, legal)
        return _Turn(view, hand, legal).choose()

    @staticmethod
    def _bid(hand: int, legal: Sequence[Any]) -> Any:
        value = strength(hand)
        wanted = 3 if value >= 9 else 2 if value >= 7.5 else 1 if value >= 6 else 0
        calls = [call for call in legal if 0 < call <= wanted]
        return max(calls, default=0)


class _Turn:
    """One decision in the play phase."""

    def __init__(self, view: Mapping[str, Any], hand: int, legal: Sequence[int]) -> None:
        self.hand = hand
        self.seat = view["to_act"][0]
        self.landlord = view["landlord"]
        self.left = view["counts"]
        self.table: Reading | None = None
        self.table_seat = -1
        if view["table"] is not None:
            table = view["table"]
            self.table = Reading(table["kind"], _RANK[table["rank"]], table["length"])
            self.table_seat = table["seat"]
        self.passing = [a for a in legal if a == 0]
        self.plays: list[tuple[int, int, Reading]] = []  # action, counts, reading
        for action in legal:
            if action and not (action & 0xFF) - 16:
                counts = counts_of(action >> 8)
                reading = self._read(counts)
                if reading is not None:
                    self.plays.append((action, counts, reading))

    def _read(self, counts: int) -> Reading | None:
        return COMBOS.reading_on(counts, self.table, None)

    @property
    def enemies(self) -> list[int]:
        if self.seat == self.landlord:
            return [s for s in range(3) if s != self.seat]
        return [self.landlord]

    def choose(self) -> int:
        for action, counts, _ in self.plays:
            if counts == self.hand:
                return action
        if self.table is None:
            return self._lead()
        return self._follow()

    def _after(self, counts: int) -> int:
        return fewest(self.hand - counts)

    def _cost(self, reading: Reading, counts: int) -> float:
        """High cards and bombs are worth keeping."""
        cost = float(reading.rank)
        if reading.kind in COMBOS.bombs:
            cost += 40
        wings = counts - _body(reading)
        for rank in range(11, 15):
            cost += 3 * (wings >> 4 * rank & 15)
        cost += sum(0.2 * rank * (wings >> 4 * rank & 15) for rank in range(11))
        return cost

    def _lead(self) -> int:
        danger = min(self.left[s] for s in self.enemies)
        best, best_score = self.plays[0][0], -1e9
        candidates = sorted(self.plays, key=lambda p: (self._cost(p[2], p[1]), p[0]))
        for action, counts, reading in candidates[: _MAX_CANDIDATES * 3]:
            score = -10.0 * self._after(counts) - self._cost(reading, counts)
            score += 1.5 * size_of(counts)
            if danger == 1 and reading.kind == "single":
                score += 2 * reading.rank - 30
            if danger == 2 and reading.kind == "pair":
                score += 2 * reading.rank - 25
            if self._partner_is_nearly_out() and reading.kind == "single":
                score += 25 - 2 * reading.rank
            if score > best_score:
                best, best_score = action, score
        return best

    def _partner_is_nearly_out(self) -> bool:
        if self.seat == self.landlord:
            return False
        partner = next(s for s in range(3) if s not in (self.seat, self.landlord))
        return bool(self.left[partner] == 1 and partner == (self.seat + 1) % 3)

    def _follow(self) -> int:
        assert self.table is not None
        now = fewest(self.hand)
        partner_leads = self.table_seat not in self.enemies
        danger = min(self.left[s] for s in self.enemies)
        threatened = not partner_leads and self.left[self.table_seat] <= _DANGER
        best, best_score = 0, 0.0
        candidates = sorted(self.plays, key=lambda p: (self._cost(p[2], p[1]), p[0]))
        for action, counts, reading in candidates[:_MAX_CANDIDATES]:
            after = self._after(counts)
            score = 12.0 * (now - after) + 8 - 0.9 * self._cost(reading, counts)
            if reading.kind in COMBOS.bombs:
                score += 25 if after <= 2 else 0
                score += 30 if threatened else 0
                if partner_leads:
                    score -= 60
            if partner_leads:
                strong = self.table.rank >= 10 or self.left[self.table_seat] <= 4
                score -= 40 if strong else 8
                if danger <= 2 and self.table.kind in ("single", "pair"):
                    score += 15 if (self.seat + 1) % 3 == self.landlord else 0
            else:
                score += 4
                score += 25 if threatened else (10 if danger <= 6 else 0)
            if after <= 1:
                score += 30
            if score > best_score:
                best, best_score = action, score
        if best == 0 and not self.passing:
            return self.plays[0][0]
        return best


def _body(reading: Reading) -> int:
    """Packed counts of a reading's body."""
    kind, rank, length = reading
    if kind == "rocket":
        return ONE[13] + ONE[14]
    copies = {"s": 1, "p": 2, "t": 3, "f": 4, "b": 4}[kind[0]]
    if kind.startswith("plane"):
        copies = 3
    run = length if kind.endswith("straight") or kind.startswith("plane") else 1
    return sum(ONE[r] * copies for r in range(rank - run + 1, rank + 1))
