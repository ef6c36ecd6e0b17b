"""The game (局) of Chihuoguo: antes, turns with two posts and a third card, the parting."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from games.chihuoguo.posts import Limits, costly_ranks, kind_of, parting, winning_ranks
from paiju.rules.api import CHANCE, Event, IllegalAction, Outcome, Rng
from paiju.rules.cards import NAMES, mask_of, names_of
from paiju.rules.showdown import ARGUMENT, Action, RoundState

if TYPE_CHECKING:
    from games.chihuoguo.rules import Chihuoguo

FOLD = 0
STAKE = ARGUMENT
"""`amount << 8 | STAKE`."""
FIRST = "first"
"""(FIRST, seat): who is on turn first."""
DRAW = "draw"
"""(DRAW, cards): two posts, or the third card."""
DECK = 52


class ChihuoguoState(RoundState):
    """One game (局). Phases: first, posts, stake, third, end.

    first: who began. turn: turns that are over. pot: what lies in it; brought: what it held
    before the antes. change: what each seat has won or lost so far. shown: cards of this lap.
    posts, stake: of the running turn. last: the turn before, for the screen.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        *RoundState._SAVED,
        "first",
        "turn",
        "pot",
        "change",
        "shown",
        "posts",
        "stake",
        "last",
    )
    __slots__ = (
        "brought",
        "change",
        "first",
        "last",
        "posts",
        "pot",
        "shown",
        "stake",
        "turn",
    )

    game: Chihuoguo
    posts: list[int]
    last: dict[str, Any] | None

    def __init__(
        self,
        game: Chihuoguo,
        seats: int,
        wealth: tuple[int, ...] | None,
        carry: Mapping[str, Any],
    ) -> None:
        super().__init__(game, seats, wealth, carry)
        self.stage = "first"
        self.brought = max(0, int(carry.get("pot", 0)))
        self.first = -1
        self.turn = 0
        self.pot = self.brought
        self.change = [0] * seats
        self.shown = 0
        self.posts = []
        self.stake = 0
        self.last = None

    # ---- whose turn ------------------------------------------------------------------------

    def seat(self) -> int:
        """The seat on turn."""
        return (self.first + self.turn) % self.seats

    def _turns(self) -> tuple[int, ...]:
        return (self.seat(),) if self.stage == "stake" else (CHANCE,)

    def owns(self, seat: int) -> int | None:
        """What the seat has now; None in score play."""
        return None if self.wealth is None else self.wealth[seat] + self.change[seat]

    def limits(self) -> Limits | None:
        """What the seat on turn may stake; None: it can only fold."""
        return self.game.stakes.limits(kind_of(self.posts), self.pot, self.owns(self.seat()))

    # ---- chance ----------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Action:
        if self.stage == "first":
            return FIRST, rng.below(self.seats)
        unseen = [card for card in range(DECK) if not self.shown >> card & 1]
        count = 2 if self.stage == "posts" else 1
        return DRAW, tuple([unseen.pop(rng.below(len(unseen))) for _ in range(count)])

    def _check_chance(self, action: tuple[Any, ...]) -> None:
        what, value = action
        if what != (FIRST if self.stage == "first" else DRAW):
            raise IllegalAction("wrong_phase")
        if what == FIRST:
            right = 0 <= value < self.seats
        else:
            right = len(value) == (2 if self.stage == "posts" else 1) == len(set(value))
            right = right and all(0 <= c < DECK and not self.shown >> c & 1 for c in value)
        if not right:
            raise IllegalAction("bad_deal")

    def _chance(self, action: tuple[Any, ...]) -> list[Event]:
        what, value = action
        if what == FIRST:
            return self._begin(value)
        self.shown |= mask_of(value)
        return self._lay_posts(list(value)) if self.stage == "posts" else self._third(value[0])

    def _begin(self, first: int) -> list[Event]:
        """The antes go into the pot; without enough for them nobody plays."""
        self.first = first
        ante = self.game.values["ante"]
        if self.wealth is not None and min(self.wealth) < self.game.entry:
            return self._ends("cancelled")
        self.change = [-ante] * self.seats
        self.pot += ante * self.seats
        self.stage = "posts"
        return [Event("ante", {"first": first, "ante": ante, "pot": self.pot})]

    def _lay_posts(self, posts: list[int]) -> list[Event]:
        self.posts, kind, seat = posts, kind_of(posts), self.seat()
        events = [Event("posts", {"seat": seat, "cards": self._names(), "kind": kind})]
        if kind == "consecutive":
            return [*events, *self._over({"outcome": "consecutive", "change": 0})]
        self.stage = "stake"
        return events

    def _third(self, card: int) -> list[Event]:
        seat, stakes = self.seat(), self.game.stakes
        result = stakes.result(self.posts, card)
        change = stakes.change(result, self.stake, self.pot, self.owns(seat))
        self.change[seat] += change
        self.pot -= change
        return self._over({"third": NAMES[card], "outcome": result.outcome, "change": change})

    def _names(self) -> list[str]:
        return [NAMES[card] for card in self.posts]

    def _over(self, how: Mapping[str, Any]) -> list[Event]:
        """The turn is over; the turns of seats that have left pass by."""
        seat = self.seat()
        self.last = {"seat": seat, "posts": self._names(), "stake": self.stake, **how}
        events = [Event("turn", {**self.last, "pot": self.pot})]
        self.posts, self.stake, self.stage = [], 0, "posts"
        while True:
            self.turn += 1
            if self.turn % self.seats == 0:
                self.shown = 0  # the deck is shuffled anew
            if self.pot == 0:
                return [*events, *self._ends("finished")]
            if self.turn == self.game.turns(self.seats):
                return [*events, *self._part(), *self._ends("finished")]
            if not self.gone[self.seat()]:
                return events

    def _part(self) -> list[Event]:
        """After the last turn half of the pot goes to those who are still there."""
        shares, self.pot = parting(self.pot, self.seats, self.present())
        self.change = [own + more for own, more in zip(self.change, shares, strict=True)]
        return [Event("part", {"shares": shares, "pot": self.pot})]

    def _ends(self, result: str) -> list[Event]:
        self.stage = "end"
        self.result = "escaped" if any(self.gone) else result
        return [Event("end", {"change": list(self.change), "pot": self.pot})]

    # ---- actions ---------------------------------------------------------------------------

    def _check_act(self, seat: int, action: int) -> None:
        if self.stage != "stake" or action & 0xFF not in (FOLD, STAKE):
            raise IllegalAction("wrong_phase")
        if seat != self.seat():
            raise IllegalAction("not_your_turn")
        if action == FOLD:
            return
        limits, staked = self.limits(), action >> 8
        if limits is None:
            raise IllegalAction("cannot_stake")
        if staked != limits.lowest and kind_of(self.posts) == "pair":
            raise IllegalAction("pair_stake", lowest=limits.lowest)
        if staked < limits.lowest:
            raise IllegalAction("stake_too_low", lowest=limits.lowest)
        if staked > limits.highest:
            raise IllegalAction("stake_too_high", highest=limits.highest)

    def _actions(self, seat: int) -> Sequence[int]:
        """Fold, and some of the legal stakes: lowest, quarter, half, highest."""
        limits = self.limits()
        if limits is None:
            return (FOLD,)
        low, high = limits
        stakes = sorted({low, max(low, high // 4), max(low, high // 2), high})
        return [FOLD, *(stake << 8 | STAKE for stake in stakes)]

    def _act(self, seat: int, action: int) -> list[Event]:
        if action == FOLD:
            return self._over({"outcome": "fold", "change": 0})
        self.stake, self.stage = action >> 8, "third"
        return [Event("stake", {"seat": seat, "stake": self.stake})]

    def default_action(self, seat: int) -> int:
        return FOLD

    def _may_leave(self) -> bool:
        return self.stage != "first"

    def _left(self, seat: int) -> list[Event]:
        """What it has paid stays in the pot; its turn counts as a fold."""
        has, penalty = self.owns(seat), self.game.values["escape_penalty"]
        paid = penalty if has is None else min(penalty, has)
        self.change[seat] -= paid
        self.pot += paid
        here = self.present()
        if len(here) == 1:
            self.change[here[0]] += self.pot
            self.pot = 0
            return self._ends("escaped")
        if seat == self.seat():
            self.stake = 0
            return self._over({"outcome": "fold", "change": 0})
        return []

    # ---- what may be seen ------------------------------------------------------------------

    def _public_view(self) -> dict[str, Any]:
        on_turn = self.stage == "stake"
        limits = self.limits() if on_turn else None
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": [seat for seat in self.to_act() if seat != CHANCE],
            "pot": self.pot,
            "first": None if self.first < 0 else self.first,
            "turn": self.turn,
            "turns": self.game.turns(self.seats),
            "change": list(self.change),
            "gone": list(self.gone),
            "seen": names_of(self.shown),
            "posts": self._names(),
            "kind": kind_of(self.posts) if self.posts else None,
            "wins_on": winning_ranks(self.posts) if on_turn else None,
            "costly": costly_ranks(self.posts) if on_turn else None,
            "limits": None if limits is None else list(limits),
            "has": self.owns(self.seat()) if on_turn else None,
            "stake": self.stake,
            "last": self.last,
            "legal": [self.game.format(a) for a in self.legal_actions(self.seat())]
            if on_turn
            else [],
        }
        if self.result is not None:
            outcome = self.outcome()
            view["result"] = {
                "result": outcome.result,
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
                "pot": self.pot,
            }
        return view

    # ---- result ----------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the game is not over")
        return Outcome(
            result=self.result,
            deltas=tuple(self.change),
            fees=(0,) * self.seats,
            pot_change=self.pot - self.brought,
            carry={"pot": self.pot} if self.pot else {},
            next_first=None,
        )
