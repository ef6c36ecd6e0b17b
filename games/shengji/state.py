"""A hand of the family as the rule interface wants it (paiju.rules.api.State)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from games.shengji import views, worlds
from games.shengji.actions import (
    DEAL,
    ESCAPE,
    SEATS,
    Move,
    Pack,
    cards_in,
    suit_named,
    verb_of,
    with_cards,
)
from games.shengji.hand import UNKNOWN, HandState
from games.shengji.phase import Phase, Sight
from games.shengji.scores import Facts, Score, Settlement, escaped
from paiju.rules.api import CHANCE, Deadline, Event, IllegalAction, Outcome, Rng
from paiju.rules.cards import BJ, NAMES, RJ
from paiju.rules.tricks import points_of
from paiju.rules.tricks.packs import UNITS, copies_of, names_of, set_of

_BUDGET_MS = 20


class State(HandState):
    """Stages: deal, the phases of the rule set, over.

    In the phase during which cards are dealt CHANCE acts beside the seats.
    """

    __slots__ = ()

    # ---- whose turn ------------------------------------------------------------------------

    def _phase(self) -> Phase:
        return self.game.phases[self.stage]

    def _seats(self) -> tuple[int, ...]:
        """The seats that may act."""
        if self.stage == "play":
            return (self.queue[0],)
        if self.result is not None or self.stage == "deal":
            return ()
        phase = self._phase()
        if self.undealt() and not phase.during_deal:
            return ()
        return tuple(self.queue) if phase.together else tuple(self.queue[:1])

    def to_act(self) -> tuple[int, ...]:
        if self.result is not None:
            return ()
        if self.stage == "deal" or self.undealt():
            return (CHANCE, *self._seats())
        return self._seats()

    def phase(self) -> str:
        return self.stage

    def deadlines(self) -> tuple[Deadline, ...]:
        """While cards are dealt only chance is on the clock, and not when nobody may act."""
        seats = self._seats()
        if self.stage != "deal" and self.result is None and self.undealt():
            return (Deadline(CHANCE, "deal"),) if seats else ()
        return tuple(Deadline(seat, self.stage) for seat in seats)

    def is_terminal(self) -> bool:
        return self.result is not None

    # ---- actions ---------------------------------------------------------------------------

    def apply(self, seat: int, action: Move) -> list[Event]:
        self._check(seat, action)
        self._log.append((seat, action))
        self._public = None
        if isinstance(action, tuple):
            return self._shuffled(action)
        verb = action & 15
        if verb == ESCAPE:
            self.leaver = seat
            return [Event("escape", {"seat": seat}), *self.finish("escaped")]
        if verb == DEAL:
            return self._deal(cards_in(action))
        return self._phase().act(self, seat, verb, action >> 8, suit_named(action))

    def is_legal(self, seat: int, action: Move) -> bool:
        try:
            self._check(seat, action)
        except IllegalAction:
            return False
        return True

    def _check(self, seat: int, action: Move) -> None:
        if self.result is not None:
            raise IllegalAction("hand_over")
        if isinstance(action, tuple):
            self._check_shuffle(seat, action)
            return
        verb = verb_of(action)
        if verb == ESCAPE:
            if self.stage == "deal" or not 0 <= seat < SEATS:
                raise IllegalAction("wrong_phase")
        elif verb == DEAL:
            if seat != CHANCE or self.stage == "deal" or not self.undealt():
                raise IllegalAction("wrong_phase")
            if not 1 <= cards_in(action) <= self.undealt() // SEATS:
                raise IllegalAction("bad_deal")
        elif seat not in self._seats():
            raise IllegalAction("not_your_turn")
        else:
            phase = self._phase()
            if verb not in phase.verbs:
                raise IllegalAction("wrong_phase")
            phase.check(self, seat, verb, action >> 8, suit_named(action))

    def legal_actions(self, seat: int) -> Sequence[int]:
        """A hint set; () for a seat that may not act."""
        if seat == CHANCE or seat not in self._seats():
            return ()
        return self._phase().actions(self.sight(seat))

    def canonical(self, seat: int, action: Move) -> Move:
        """Suits tell cards apart here, so an action is itself."""
        return action

    def default_action(self, seat: int) -> Move:
        return self._phase().default(self, seat)

    def hint(self, seat: int) -> Move:
        """The bot's move, from what the seat sees."""
        action: Move = self.game.bot().act(self.view(seat), self.legal_actions(seat), _BUDGET_MS)
        return action

    def abandon(self, seat: int, reason: str) -> list[Event]:
        """Leaving before the end is an escape, whatever the reason: the hand is void."""
        return self.apply(seat, ESCAPE)

    def enter(self, stage: str) -> list[Event]:
        """Begin a phase, or one after it."""
        self.stage = stage
        return self.game.phases[stage].enter(self)

    def finish(self, result: str) -> list[Event]:
        """The hand is over; everything is shown."""
        self.stage, self.result, self.queue = "over", result, []
        shown = {
            "result": result,
            "bottom": names_of(self.bottom),
            "hands": [names_of(hand) for hand in self.hands],
        }
        return [Event("end", shown)]

    def taker(self) -> int:
        """Who takes the bottom next."""
        return self.claimer if self.bottom_counters else self.dealer

    def sight(self, seat: int) -> Sight:
        """What the seat's legal actions go by."""
        hand = self.hands[seat]
        buried = self.bottom if self.bottom_open or seat == self.burier else 0
        return Sight(
            phase=self.stage,
            seat=seat,
            hand=hand,
            rules=self.rules,
            claims=self.game.claims_of(self.level, self.dealer),
            claim=self.claim,
            named=self.named,
            claimer=self.claimer,
            lead=self.lead,
            unseen=self.game.whole_pack - self.gone - hand - buried,
            owed=self.owed,
            under=self.under,
            swappable=self.game.swappable(self),
        )

    # ---- chance ----------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        """The shuffled pack with the first seat; then its cards round by round, all that are
        left at once when nobody may act meanwhile."""
        if self.stage != "deal":
            return with_cards(DEAL, 1 if self._seats() else self.undealt() // SEATS)
        pack = self.game.pack
        cards = bytes(pack[i] for i in rng.permutation(len(pack)))
        return (rng.below(SEATS) if self.dealer == UNKNOWN else self.dealer), cards

    def _check_shuffle(self, seat: int, action: Pack) -> None:
        if seat != CHANCE or self.stage != "deal":
            raise IllegalAction("wrong_phase")
        first, cards = action
        right_first = 0 <= first < SEATS if self.dealer == UNKNOWN else first == self.dealer
        if not right_first or sorted(cards) != sorted(self.game.pack):
            raise IllegalAction("bad_deal")

    def deal_unchecked(self, first: int, cards: bytes, under: int) -> list[Event]:
        """Begin with any pack, dealt out at once but for `under` cards: for golden cases."""
        self.under = under
        self._log.append((CHANCE, (first, cards)))
        events = self._shuffled((first, cards))
        rounds = self.undealt() // SEATS
        self._log.append((CHANCE, with_cards(DEAL, rounds)))
        return events + self._deal(rounds)

    def declare_unchecked(self, trump: int) -> list[Event]:
        """The phase of claims is over with these trumps, as if somebody had claimed them."""
        self.fix_trump(trump)
        if self.dealer == UNKNOWN:
            self.dealer = self.first
        return self.enter(self.game.phases[self.stage].then)

    def _shuffled(self, action: Pack) -> list[Event]:
        self.first, self.pack = action
        return [Event("shuffle", {"first": self.first}), *self.enter(self.game.first_phase)]

    def _deal(self, rounds: int) -> list[Event]:
        """The next cards; the bottom after the last."""
        end = self.dealt + SEATS * rounds
        events = []
        for step in range(SEATS):
            seat = (self.first + step) % SEATS
            cards = self.pack[self.dealt + step : end : SEATS]
            self.hands[seat] += sum([UNITS[card] for card in cards])
            data = {"cards": [NAMES[card] for card in cards]}
            events.append(Event("deal", data, (seat,), None))
        self.dealt = end
        if not self.undealt():
            self.bottom = set_of(self.pack[end:])
            if self._phase().during_deal:
                events += self._phase().dealt(self)
        return events

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = views.public(self)
        return views.of_seat(self, self._public, seat)

    def resample(self, seat: int, rng: Rng) -> Self:
        return worlds.resample(self, seat, rng)

    # ---- result ----------------------------------------------------------------------------

    def facts(self) -> Facts:
        """What a finished hand came to."""
        jokers = 0 if self.dry else self.bottom
        return Facts(
            dealer=self.dealer,
            trick_points=self.points,
            bottom_points=points_of(self.bottom),
            last_winner=self.winners[-1],
            largest=self.largest,
            levels=(self.levels[0], self.levels[1]),
            scores=self.game.scores_of(self.carry),
            counters=self.counters,
            bottom_counters=self.bottom_counters,
            big_jokers=copies_of(jokers, RJ),
            small_jokers=copies_of(jokers, BJ),
            payer=None if self.payer == UNKNOWN else self.payer,
            paid=self.paid,
        )

    def score(self) -> Score | None:
        """None for a hand that was not played to its end."""
        return self.game.scoring.score(self.facts()) if self.result == "finished" else None

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        score = self.score()
        settled = self._settled(score)
        carry = self.game.carried(self.carry, score, settled.deltas)
        return Outcome(self.result, settled.deltas, settled.fees, 0, carry, carry.get("dealer"))

    def _settled(self, score: Score | None) -> Settlement:
        if score is not None:
            return self.game.booked(score.gains, self.wealth)
        if self.leaver != UNKNOWN:
            return escaped(self.leaver, self.game.penalty(), self.wealth)
        return Settlement((0,) * SEATS, (0,) * SEATS)
