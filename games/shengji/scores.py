"""Settlement: what a played hand means for levels, the next dealer, and the books."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from games.shengji.actions import SEATS

DIG_MAX = 64
"""No bottom counts more often."""


class Facts(NamedTuple):
    """What a hand came to. Points are card points."""

    dealer: int
    trick_points: int
    bottom_points: int
    last_winner: int
    largest: int = 1
    """Cards of the largest component of the last lead."""
    levels: tuple[str, str] | None = None
    scores: Sequence[int] | None = None
    """The players' totals before the hand; None: they do not matter."""
    counters: int = 0
    bottom_counters: int = 0
    big_jokers: int = 0
    """In the final bottom; 0 in a dry pot, as the small ones."""
    small_jokers: int = 0
    payer: int | None = None
    """Who paid tribute in this hand."""
    paid: int = 0


class Score(NamedTuple):
    """side: "dealer" or "opp", who has won. unit: what each of them gets."""

    opp_points: int
    bottom_mult: int
    side: str
    levels: int
    next_dealer: int | None
    unit: int
    gains: tuple[int, ...]
    """Per seat, before fees and caps; their sum is 0."""
    team_levels: tuple[str, str] | None
    match_winner: int | None
    special: str | None = None
    next_tribute: int = 0

    @property
    def match_over(self) -> bool:
        return self.match_winner is not None or self.special is not None


class Scoring(Protocol):
    """One rule set's settlement."""

    def score(self, facts: Facts) -> Score: ...


def promoted(order: str, level: str, steps: int) -> str:
    """Never beyond the highest level."""
    return order[min(order.index(level) + steps, len(order) - 1)]


def after(
    order: str, facts: Facts, *, dealers_won: bool, levels: int
) -> tuple[tuple[str, str] | None, int | None]:
    """(team levels after the hand, winner of the match or None)."""
    if facts.levels is None:
        return None, None
    team = facts.dealer % 2 if dealers_won else (facts.dealer + 1) % 2
    raised = list(facts.levels)
    won = dealers_won and levels >= 1 and raised[team] == order[-1]
    raised[team] = promoted(order, raised[team], levels)
    return (raised[0], raised[1]), team if won else None


def gains(dealer: int, unit: int, *, dealers_won: bool) -> tuple[int, ...]:
    """Each of the winning side gains a unit, each of the other loses one."""
    return tuple(unit if ((s - dealer) % 2 == 0) == dealers_won else -unit for s in range(SEATS))


def next_dealer(dealer: int, *, dealers_won: bool) -> int:
    return (dealer + (2 if dealers_won else 1)) % SEATS


class Settlement(NamedTuple):
    """Per seat: net change (fee taken off) and fee; the sum of both is 0."""

    deltas: tuple[int, ...]
    fees: tuple[int, ...]


def booked(amounts: Sequence[int], *, fee: int, wealth: Sequence[int] | None) -> Settlement:
    """Gains and losses per seat, and the fee of every seat.

    wealth: what each seat has; losers pay what they can, the winners share what came in, an
    odd unit goes to the first of them; the fee is taken after that and leaves nobody below 0.
    None: there are no limits.
    """
    if wealth is None:
        return Settlement(tuple(a - fee for a in amounts), (fee,) * SEATS)
    change = [max(a, -w) if a < 0 else a for a, w in zip(amounts, wealth, strict=True)]
    pot = -sum(c for c in change if c < 0)
    winners = [seat for seat, amount in enumerate(amounts) if amount > 0]
    for place, seat in enumerate(winners):
        change[seat] = pot // len(winners) + (place < pot % len(winners))
    fees = tuple(min(fee, w + c) for w, c in zip(wealth, change, strict=True))
    return Settlement(tuple(c - f for c, f in zip(change, fees, strict=True)), fees)


def escaped(seat: int, penalty: int, wealth: Sequence[int] | None) -> Settlement:
    """The leaver pays the penalty, at most what it has; the house keeps it."""
    paid = penalty if wealth is None else min(penalty, wealth[seat])
    fees = tuple(paid if s == seat else 0 for s in range(SEATS))
    return Settlement(tuple(-fee for fee in fees), fees)


class LevelScoring:
    """Shengji. great_slam: score for keeping the scorers without a point."""

    def __init__(self, *, decks: int, order: str, great_slam: int) -> None:
        self._step = 20 * decks
        self.order = order
        self._great_slam = great_slam

    def score(self, facts: Facts) -> Score:
        dug = (facts.last_winner - facts.dealer) % 2 == 1
        times = self.bottom_times(facts.largest) if dug else 0
        points = facts.trick_points + facts.bottom_points * times
        dealers_won, levels = self.levels_for(points)
        unit = self.unit(facts, points, levels, dealers_won=dealers_won)
        raised, winner = after(self.order, facts, dealers_won=dealers_won, levels=levels)
        return Score(
            opp_points=points,
            bottom_mult=times,
            side="dealer" if dealers_won else "opp",
            levels=levels,
            next_dealer=next_dealer(facts.dealer, dealers_won=dealers_won),
            unit=unit,
            gains=gains(facts.dealer, unit * self.factor(), dealers_won=dealers_won),
            team_levels=raised,
            match_winner=winner,
        )

    def bottom_times(self, largest: int) -> int:
        """How often dug points count."""
        return min(DIG_MAX, 1 << largest)

    def levels_for(self, points: int) -> tuple[bool, int]:
        """(whether the dealers win, levels that the winning side goes up)."""
        steps = points // self._step
        if steps < 2:
            return True, 3 if points == 0 else 2 - steps
        return False, steps - 2

    def unit(self, facts: Facts, points: int, levels: int, *, dealers_won: bool) -> int:
        """What a winner gets, with the band of the totals."""
        score = levels + 1 if dealers_won else levels + 2
        return (score if points else self._great_slam) * band(facts.scores)

    def factor(self) -> int:
        """What one unit is worth."""
        return 1


def band(scores: Sequence[int] | None) -> int:
    """3 when all four totals are 300 and more, 2 when all are 80..299, else 1."""
    if scores is None:
        return 1
    if min(scores) >= 300:
        return 3
    return 2 if all(80 <= total < 300 for total in scores) else 1


class BeansScoring(LevelScoring):
    """Huanle: every counter and every counter of the bottom doubles; in beans."""

    def __init__(self, *, decks: int, order: str, great_slam: int, room_factor: int) -> None:
        super().__init__(decks=decks, order=order, great_slam=great_slam)
        self._factor = room_factor

    def unit(self, facts: Facts, points: int, levels: int, *, dealers_won: bool) -> int:
        unit = super().unit(facts, points, levels, dealers_won=dealers_won)
        return unit << facts.counters + facts.bottom_counters

    def factor(self) -> int:
        return self._factor


class AiqipaiScoring(LevelScoring):
    """Aiqipai: a dug bottom counts double; from 80 on one level more than in Shengji."""

    def __init__(self, *, decks: int, order: str, unit: int) -> None:
        super().__init__(decks=decks, order=order, great_slam=0)
        self._decks = decks
        self._unit = unit

    def bottom_times(self, largest: int) -> int:
        return 2

    def levels_for(self, points: int) -> tuple[bool, int]:
        if self._decks == 1:
            return self._one_deck(points)
        steps = points // 40
        if steps < 2:
            return True, 3 if points == 0 else 2 - steps
        return False, steps - 1

    @staticmethod
    def _one_deck(points: int) -> tuple[bool, int]:
        if points < 40:
            return True, 2 if points == 0 else 1
        return False, 0 if points < 80 else 1 if points < 100 else 2

    def unit(self, facts: Facts, points: int, levels: int, *, dealers_won: bool) -> int:
        return max(1, levels)

    def factor(self) -> int:
        return self._unit


class DagunziScoring:
    """Dagunzi: 120 points decide; jokers in the bottom raise; specials end the match."""

    SPECIAL = 50

    def __init__(self, *, order: str) -> None:
        self.order = order

    def score(self, facts: Facts) -> Score:
        dug = (facts.last_winner - facts.dealer) % 2 == 1
        points = facts.trick_points + (2 * facts.bottom_points if dug else 0)
        jokers = 2 * facts.big_jokers + facts.small_jokers
        dealers_won = points < 120
        levels = 1 + jokers if dealers_won != dug else 0
        raised, winner = after(self.order, facts, dealers_won=dealers_won, levels=levels)
        special = _special(facts, points, dug=dug)
        if special == "zero":
            unit, to_dealers = self.SPECIAL, True
        elif special is not None:
            unit, to_dealers = self.SPECIAL, False
        else:
            unit, to_dealers = 3 * levels + (0 if dealers_won else 1), dealers_won
        over = special is not None or winner is not None
        if over and raised is not None:
            raised = (self.order[0], self.order[0])
        amounts = gains(facts.dealer, unit, dealers_won=to_dealers)
        return Score(
            opp_points=points,
            bottom_mult=2 if dug else 0,
            side="dealer" if dealers_won else "opp",
            levels=levels,
            next_dealer=None if over else next_dealer(facts.dealer, dealers_won=dealers_won),
            unit=unit,
            gains=_with_tribute(amounts, facts),
            team_levels=raised,
            match_winner=winner if special is None else None,
            special=special,
            next_tribute=0 if over else _tribute(points) + jokers,
        )


def _special(facts: Facts, points: int, *, dug: bool) -> str | None:
    if points == 0:
        return "zero"
    if points >= 300:
        return "three_hundred"
    if facts.big_jokers == 3 and dug and points >= 120:
        return "three_big_jokers"
    return None


def _tribute(points: int) -> int:
    """Cards owed for the points alone; jokers come on top."""
    if points < 80:
        return (80 - points) // 10
    return (points - 150) // 10 if points > 150 else 0


def _with_tribute(amounts: tuple[int, ...], facts: Facts) -> tuple[int, ...]:
    """A point per card that was really paid, from the payer's side to the other."""
    if facts.payer is None or not facts.paid:
        return amounts
    side = facts.payer % 2
    return tuple(
        a - facts.paid if seat % 2 == side else a + facts.paid for seat, a in enumerate(amounts)
    )
