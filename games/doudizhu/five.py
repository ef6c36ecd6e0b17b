"""Five-player Dou Dizhu (五人斗地主): two decks, an open landlord and, usually, a hidden one.

Who holds the twin of the turned-up card is a secret of its holder. So everybody is asked in
the phase `reveal`, farmers too, and the number of answers tells nothing; and what a seat
answers to the doubling is shown when all have answered. Source: docs/games/doudizhu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from games.doudizhu.bot import sense
from games.doudizhu.bots import FiveBot
from games.doudizhu.five_kinds import COMBOS, FINDER, doubling
from games.doudizhu.landlord import BASE, COIN_PARAMETERS, LandlordGame, LandlordState, info
from games.doudizhu.two_decks import bomb_name
from paiju.rules.api import CHANCE, Bot, Deadline, Event, IllegalAction, Parameter, Rng
from paiju.rules.climbing import (
    PASS,
    TWO_DECKS,
    ClimbingGame,
    Deal,
    Known,
    Move,
    Reading,
    Settlement,
    two_sides,
)
from paiju.rules.climbing.packed import BJ_RANK

SEATS = 5
ESCAPE_FACTOR = 5

REVEAL, DOUBLE, NEXT = 1, 2, 3
"""NEXT is chance's: the time of `reveal` is over."""
_SENSE = sense(COMBOS, FINDER)


class FiveState(LandlordState):
    """One hand. Phases: deal, reveal, double, play, end. `landlord` is the open one.

    hidden: the hidden landlord, None: the open one is alone; public: whether all know which;
    answers: what each seat said in the present phase; doubles: how many doubled.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        *LandlordState._SAVED,
        *("hidden", "public", "revealed", "answers", "doubles"),
    )
    __slots__ = ("answers", "doubles", "hidden", "public", "revealed")

    deal_sizes = (21,) * SEATS

    answers: list[int | None]

    def __init__(
        self, game: ClimbingGame[Any], wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.base = game.values["base"]
        self.hidden: int | None = None
        self.public = False
        self.revealed = False
        self.answers = [None] * SEATS
        self.doubles = 0

    # ---- the deal --------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        """One card of those dealt to hands, no joker, lies face up; who gets it is first."""
        if self.stage == "reveal":
            return NEXT
        hands, bottom = self._shuffled(rng)
        ranked = self.deck.full - self.deck.parse("BJ BJ RJ RJ")
        joker_free = self.deck.lacking(bottom, ranked)
        places = self.deck.places(joker_free)
        mark = self.deck.of([places[rng.below(len(places))]])
        holders = [seat for seat in range(SEATS) for _ in range(self._copies(hands[seat], mark))]
        return holders[rng.below(len(holders))], hands, bottom, mark

    def _copies(self, cards: int, mark: int) -> int:
        """How often the set has the one card `mark`."""
        if self.deck.lacking(cards, mark):
            return 0
        return 1 if self.deck.lacking(cards - mark, mark) else 2

    def _check_deal(self, deal: Deal) -> None:
        super()._check_deal(deal)
        first, hands, _, mark = deal
        joker = self.deck.counts(mark) >> 4 * BJ_RANK
        if self.deck.length(mark) != 1 or joker or not self._copies(hands[first], mark):
            raise IllegalAction("bad_deal")

    def _dealt(self) -> None:
        self._take_bottom(self.first)
        self.stage = "reveal"
        self.hidden = self._twin_holder(self.hands)

    def _twin_holder(self, ever_held: Sequence[int]) -> int | None:
        """Of hands with all that they held since the deal: who has the turned-up card's twin."""
        for seat, hand in enumerate(ever_held):
            if seat != self.landlord and self._copies(hand, self.mark):
                return seat
        return None

    def _deal_events(self) -> list[Event]:
        mark = self.deck.names(self.mark)
        return [
            Event(
                "deal",
                {"first": self.first, "turned_up": mark, "hand": self.deck.names(hand)},
                (seat,),
                None,
            )
            for seat, hand in enumerate(self.hands)
        ]

    # ---- revealing and doubling ------------------------------------------------------------

    def landlords(self) -> Sequence[int]:
        if self.landlord is None:
            return ()
        return (self.landlord,) if self.hidden is None else (self.landlord, self.hidden)

    def to_act(self) -> tuple[int, ...]:
        if self.stage not in ("reveal", "double"):
            return super().to_act()
        waiting = [seat for seat, answer in enumerate(self.answers) if answer is None]
        return (CHANCE, *waiting) if self.stage == "reveal" else tuple(waiting)

    def deadlines(self) -> tuple[Deadline, ...]:
        """The time of `reveal` is everybody's; it is over when all have answered."""
        if self.stage == "reveal":
            return (Deadline(CHANCE, "reveal"),) if None in self.answers else ()
        if self.stage == "double":
            return tuple(Deadline(seat, "double") for seat in self.to_act())
        return super().deadlines()

    def _check_stage(self, seat: int, action: int) -> None:
        if seat not in self.to_act():
            raise IllegalAction("not_your_turn")
        if action not in ((NEXT,) if seat == CHANCE else self._stage_actions(seat)):
            raise IllegalAction("no_landlord" if action == REVEAL else "wrong_phase")

    def _stage_actions(self, seat: int) -> Sequence[int]:
        if self.stage == "double":
            return (PASS, DOUBLE)
        return (PASS, REVEAL) if seat in self.landlords() else (PASS,)

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        if self.stage == "reveal":
            return self._reveal(seat, action)
        self.answers[seat] = action
        self.doubles += action == DOUBLE
        events = [Event("answered", {"seat": seat})]
        if None not in self.answers:
            doubled = [answer == DOUBLE for answer in self.answers]
            self._begin_play()
            events.append(Event("doubles", {"doubled": doubled}))
        return events

    def _reveal(self, seat: int, action: int) -> list[Event]:
        if action == PASS:
            self.answers[seat] = PASS
            return [Event("answered", {"seat": seat})]
        self.stage, self.answers = "double", [None] * SEATS
        if action == NEXT:
            return [Event("doubling", {})]
        self.revealed = self.public = True
        return [Event("reveal", {"seat": seat, "hidden": self.hidden}), *self._shown_to_mates()]

    def _shown_to_mates(self) -> list[Event]:
        """Landlords that are known see each other's hands."""
        if self.hidden is None or self.landlord is None:
            return []
        names = self.deck.names
        return [
            Event("mate", {"seat": mate, "hand": names(self.hands[mate])}, (seat,), None)
            for seat, mate in ((self.landlord, self.hidden), (self.hidden, self.landlord))
        ]

    def _play(self, seat: int, action: int) -> list[Event]:
        """The hidden landlord that plays the twin is known from then on."""
        events = super()._play(seat, action)
        if seat == self.hidden and not self.public and self._copies(action >> 8, self.mark):
            self.public = True
            events.insert(1, Event("hidden", {"seat": seat}))
            if self.result is None:
                events += self._shown_to_mates()
        return events

    # ---- what may be seen ------------------------------------------------------------------

    def bottom_is_open(self) -> bool:
        return self.stage == "end"

    def _bottom_holder(self) -> int | None:
        return self.landlord

    def known_to(self, viewer: int) -> Known:
        hands = [0] * SEATS
        open_seat = self.landlord
        assert open_seat is not None
        alone = self.public and self.hidden is None
        hands[open_seat] = self._left_of(2 * self.mark if alone else self.mark, open_seat)
        if self.public and self.hidden is not None:
            hands[self.hidden] = self._left_of(self.mark, self.hidden)
        if 0 <= viewer < SEATS:
            hands[viewer] = self.hands[viewer]
            mate = self._mate(viewer)
            if mate is not None:
                hands[mate] = self.hands[mate]
        return Known(tuple(hands), self.bottom if viewer == open_seat else None)

    def _mate(self, seat: int) -> int | None:
        """The other landlord, whose hand the seat may see."""
        if not self.public or self.hidden is None or self.result is not None:
            return None
        return {self.landlord: self.hidden, self.hidden: self.landlord}.get(seat)

    def resample(self, seat: int, rng: Rng) -> Self:
        """Another seat may hold the twin, and others may have answered otherwise."""
        world = super().resample(seat, rng)
        if self.result is not None or not self._log:
            return world
        cards = world._cards()
        had = [
            hand + (cards.bottom if holder == cards.taken_by else 0)
            for holder, hand in enumerate(cards.dealt)
        ]
        world.hidden = world._twin_holder(had)
        if self.stage == "double":
            world._answer_otherwise(seat, rng)
        return world

    def _answer_otherwise(self, viewer: int, rng: Rng) -> None:
        """Other answers of the others to the doubling, which nobody knows yet."""
        for index in range(len(self._log) - 1, 0, -1):
            seat, action = self._log[index]
            if action in (NEXT, REVEAL):
                break
            if seat != viewer and self.answers[seat] is not None:
                answer = (PASS, DOUBLE)[rng.below(2)]
                self.answers[seat] = answer
                self._log[index] = (seat, answer)
        self.doubles = self.answers.count(DOUBLE)
        self._forget_packed()

    def shown_multiplier(self) -> int:
        """Without the doubles as long as some have not answered."""
        return self.multiplier() >> self.doubles if self.stage == "double" else self.multiplier()

    def _public_more(self) -> dict[str, Any]:
        over = self.result is not None
        return {
            "turned_up": self.deck.names(self.mark),
            "revealed": self.revealed,
            "hidden": self.hidden if self.public or over else None,
            "hidden_known": self.public or over,
            "answered": [answer is not None for answer in self.answers],
            "doubled": None
            if self.stage in ("reveal", "double")
            else [answer == DOUBLE for answer in self.answers],
        }

    def _private_more(self, seat: int) -> dict[str, Any]:
        """role; peek: what the open landlord took up, and the other landlord's hand; answer: the
        own one to the doubling."""
        role = "open" if seat == self.landlord else "hidden" if seat == self.hidden else "farmer"
        more: dict[str, Any] = {"role": role}
        peek: dict[str, Any] = {}
        if seat == self.landlord:
            peek["bottom"] = self.deck.names(self.bottom)
        if self.stage == "double" and self.answers[seat] is not None:
            more["answer"] = "double" if self.answers[seat] == DOUBLE else "pass"
        mate = self._mate(seat)
        if mate is not None:
            peek["mate"] = self.deck.names(self.hands[mate])
        if peek:
            more["peek"] = peek
        return more

    # ---- result ----------------------------------------------------------------------------

    def _bomb_factor(self, bomb: Reading) -> int:
        return doubling([bomb_name(bomb)])

    def spring(self) -> bool:
        """The landlords win before any farmer has played."""
        if self.result != "finished" or self.winner not in self.landlords():
            return False
        return sum(self.plays) == sum(self.plays[seat] for seat in self.landlords())

    def multiplier(self) -> int:
        stakes = self.factor << self.doubles + self.revealed
        return stakes * (2 if self.spring() else 1)

    def penalty(self, seat: int) -> int:
        return ESCAPE_FACTOR * self.base * self.multiplier() * int(self.game.values["N"])

    def _booked(self) -> Settlement:
        assert self.landlord is not None
        values = self.game.values
        return sides_settled(
            landlord=self.landlord,
            hidden=self.hidden,
            landlords_won=self.winner in self.landlords(),
            unit=self.base * self.multiplier() * values["N"],
            fee=values["A"],
            wealth=self.wealth,
        )


def sides_settled(
    *,
    landlord: int,
    hidden: int | None,
    landlords_won: bool,
    unit: int,
    fee: int,
    wealth: Sequence[int] | None,
) -> Settlement:
    """Each farmer's stake is the unit; of two landlords the open one has the odd unit."""
    stakes = [unit] * SEATS
    landlords = [landlord]
    stakes[landlord] = (SEATS - 1) * unit
    if hidden is not None:
        landlords.append(hidden)
        stakes[hidden] = (SEATS - 2) * unit // 2
        stakes[landlord] = (SEATS - 2) * unit - stakes[hidden]
    winners = [seat for seat in range(SEATS) if (seat in landlords) == landlords_won]
    return two_sides(stakes, winners, fee=fee, wealth=wealth, first=landlord)


class FivePlayers(LandlordGame):
    """The game with its parameters; immutable."""

    name = "doudizhu_5p"
    version = 1
    info = info(SEATS, before=1 + SEATS + 1 + SEATS, cards=108, simultaneous=True)
    title: ClassVar[Mapping[str, str]] = {"zh": "五人斗地主", "en": "Dou Dizhu for five"}
    parameters: ClassVar[Mapping[str, Parameter]] = {**COIN_PARAMETERS, "base": BASE}
    combos = COMBOS
    finder = FINDER
    deck = TWO_DECKS
    verbs: ClassVar[Mapping[str, int]] = {"reveal": REVEAL, "double": DOUBLE, "next": NEXT}
    state_class = FiveState

    def bot(self) -> Bot:
        return FiveBot(self, _SENSE)
