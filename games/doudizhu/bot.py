"""How bots of the family play: from a view, never from a state; the hint button is their move.

Every play is weighed by what is left of the hand afterwards (`partition`), by whether it can
still be beaten by cards that are out, and by how near the others are to going out. A farmer
leaves a trick to another farmer, feeds one that has few cards, and stands in the landlord's
way. Deterministic: equal views give equal moves.

The work of one decision is bounded by counting (`_SEARCHED`), not by a clock: equal views
give equal moves on slow machines, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from typing import Any, NamedTuple

from games.doudizhu.partition import Partition, gain
from paiju.rules.climbing import Combos, Finder, Reading, shown_reading
from paiju.rules.climbing.packed import ONE, size_of

_PER_READING = 3
"""Plays that are weighed of those that differ in wings only."""
_WEIGHED = 40
"""Plays that are weighed when leading; the ones that get rid of most cards first."""
_SEARCHED = 150
"""Leads that one decision tries in all when it looks for a way out."""
_LOOK_AHEAD = 4
_NEAR_CARDS = 12
_TEMPO = 0.6
"""What the lead is worth, in plays."""
_HIGHEST_SINGLE = Reading("single", 14, 1)
_BLOCK_UP_TO = 11


class Sense(NamedTuple):
    """What a bot knows of its rule set."""

    combos: Combos
    finder: Finder
    deck: int
    """Packed counts of all cards."""
    partition: Partition


def sense(combos: Combos, finder: Finder) -> Sense:
    deck = sum(one * copies for one, copies in zip(ONE, combos.deck.of_rank, strict=True))
    return Sense(combos, finder, deck, Partition(combos))


class Play(NamedTuple):
    """One way to play: its cards and what is left, as packed counts."""

    counts: int
    reading: Reading
    left: int
    size: int


class Table(NamedTuple):
    """What of a view matters in the play phase. enemies and friends do not hold the seat."""

    me: int
    enemies: Sequence[int]
    friends: Sequence[int]
    landlord: int
    left: Sequence[int]
    """Cards of each seat."""
    reading: Reading | None
    """What must be beaten."""
    seat: int
    """Who laid it; -1 for a lead."""
    played: int
    """Packed counts."""

    @classmethod
    def of(cls, view: Mapping[str, Any], me: int, friends: Sequence[int]) -> Table:
        table, left = view["table"], view["counts"]
        return cls(
            me,
            [seat for seat in range(len(left)) if seat != me and seat not in friends],
            friends,
            view["landlord"],
            left,
            None if table is None else shown_reading(table),
            -1 if table is None else table["seat"],
            sum(int(n) * one for n, one in zip(view["played"], ONE, strict=True)),
        )


class Turn:
    """One decision in the play phase. hand: packed counts."""

    def __init__(self, sense: Sense, table: Table, hand: int) -> None:
        self._sense = sense
        self._combos = sense.combos
        self._burden = sense.partition.burden
        self._table = table
        self._hand = hand
        self._unseen = sense.deck - table.played - hand
        self._others = max(n for seat, n in enumerate(table.left) if seat != table.me)
        self._next = (table.me + 1) % len(table.left)
        self._near = min(table.left[seat] for seat in table.enemies)
        self._searched = 0
        self._beaten: dict[Reading, bool] = {}
        self._plays = list(self._candidates())

    def choose(self) -> int:
        """Packed counts of what to play; 0: pass."""
        if not self._plays:
            return 0
        for play in self._plays:
            if play.left == 0:
                return play.counts
        winning = self._winning()
        if winning is not None:
            return winning.counts
        return self._lead() if self._table.reading is None else self._follow()

    def _candidates(self) -> Iterator[Play]:
        """The plays worth a thought: of those that differ in wings only, the cheapest."""
        finder, table, readings = self._sense.finder, self._table.reading, self._combos.readings
        found: Iterable[int]
        if table is None:
            found = finder.leads(0, self._hand).counts()
        else:
            found = finder.beating(self._hand, table)
        groups: dict[Reading, list[int]] = {}
        for counts in found:
            reading = readings[counts][0]
            if table is not None and not self._combos.beats(reading, table):
                laid = self._combos.reading_on(counts, table, None)
                assert laid is not None
                reading = laid
            groups.setdefault(reading, []).append(counts)
        for reading, alike in groups.items():
            if len(alike) > _PER_READING:
                alike = nsmallest(_PER_READING, alike, key=lambda c: (_wing_price(c, reading), c))
            for counts in alike:
                yield Play(counts, reading, self._hand - counts, size_of(counts))

    # ---- judgement -------------------------------------------------------------------------

    def _safe(self, reading: Reading) -> bool:
        """Whether no cards that are out can beat it, whoever holds them."""
        known = self._beaten.get(reading)
        if known is None:
            known = self._beaten[reading] = self._unbeaten(reading)
        return known

    def _unbeaten(self, reading: Reading) -> bool:
        if reading.kind not in self._combos.bombs and self._combos.size(reading) > self._others:
            reading = _HIGHEST_SINGLE  # only bombs are small enough
        return not any(True for _ in self._sense.finder.beating(self._unseen, reading))

    def _wins(self, hand: int, depth: int) -> bool:
        """Whether the hand, on lead, can be played out with plays that nobody beats."""
        if hand in self._combos.readings or hand == 0:
            return True
        if depth == 0:
            return False
        for counts in self._sense.finder.leads(0, hand).counts():
            self._searched += 1
            if self._searched > _SEARCHED:
                return False
            if self._safe(self._combos.readings[counts][0]) and self._wins(
                hand - counts, depth - 1
            ):
                return True
        return False

    def _winning(self) -> Play | None:
        """A play after which nobody else gets the lead any more."""
        for play in self._plays:
            if size_of(play.left) > _NEAR_CARDS or not self._safe(play.reading):
                continue
            if self._burden(play.left) < _LOOK_AHEAD and self._wins(play.left, 2):
                return play
        return None

    # ---- leading ---------------------------------------------------------------------------

    def _lead(self) -> int:
        plays = self._plays
        if len(plays) > _WEIGHED:
            plays = nsmallest(_WEIGHED, plays, key=lambda play: -play.size)
            plays += [play for play in self._plays if play.size <= 2 and play not in plays]
        best, best_score = plays[0], -1e9
        for play in plays:
            score = self._lead_score(play)
            if score > best_score:
                best, best_score = play, score
        return best.counts

    def _lead_score(self, play: Play) -> float:
        kind, rank, _ = play.reading
        size, left = play.size, self._table.left
        score = -self._burden(play.left) + 0.05 * size - 0.03 * rank
        if kind in self._combos.bombs:
            return score - 1.5
        if self._near == size and kind in ("single", "pair", "trio"):
            if not self._safe(play.reading):
                score -= 2.5 - 0.15 * rank
        elif self._near == 2 and kind == "single":
            score -= 0.6 - 0.05 * rank
        for friend in self._table.friends:
            if friend == self._next and size == left[friend] <= 2:
                score += 3.0 - 0.2 * rank
            elif left[friend] == size == 1 and self._near > 1:
                score += 1.5 - 0.15 * rank
        return score

    # ---- following -------------------------------------------------------------------------

    def _follow(self) -> int:
        """The best play if it is better than passing."""
        if self._table.seat in self._table.friends:
            return self._behind_friend()
        now = self._burden(self._hand)
        best, best_score = 0, self._patience()
        for play in self._plays:
            score = now - self._burden(play.left) + self._worth_of_lead(play)
            if score > best_score:
                best, best_score = play.counts, score
        return best

    def _patience(self) -> float:
        """What passing is worth: less, the nearer the enemies are to the end."""
        if self._table.left[self._table.seat] <= 2 or self._near <= 2:
            return -2.5
        return -0.8 if self._near <= 5 else -0.1

    def _worth_of_lead(self, play: Play) -> float:
        kind, rank, length = play.reading
        keeps = 1.0 if self._safe(play.reading) else min(1.0, gain(kind, rank, length))
        worth = _TEMPO * keeps
        if kind in self._combos.bombs:
            worth -= 0.4
            if self._near <= 4:
                worth += 1.2
            if self._burden(play.left) <= 1.2:
                worth += 1.2
        elif self._near <= 2 and self._next in self._table.enemies:
            worth += 0.5 * keeps
        return worth

    def _behind_friend(self) -> int:
        """A friend has the trick: take it only to block an enemy that comes next."""
        table = self._table
        assert table.reading is not None
        if self._next not in table.enemies or table.left[table.seat] <= 2:
            return 0
        if gain(*table.reading) >= 0.3 or table.reading.kind in self._combos.bombs:
            return 0
        now = self._burden(self._hand)
        best, best_score = 0, 0.25
        for play in self._plays:
            kind, rank, _ = play.reading
            if kind in self._combos.bombs or rank > _BLOCK_UP_TO:
                continue
            score = now - self._burden(play.left) - 0.5 + 0.03 * rank
            if score > best_score:
                best, best_score = play.counts, score
        return best


def _wing_price(counts: int, reading: Reading) -> int:
    """What is carried away that would be worth keeping: high cards, cards of bombs."""
    price = 0
    lowest = reading.rank - reading.length + 1
    for rank in range(15):
        if not lowest <= rank <= reading.rank:
            price += (counts >> 4 * rank & 15) * (rank + (8 if rank > 10 else 0))
    return price
