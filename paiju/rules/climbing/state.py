"""The hand of a climbing game: what is the same whatever comes before the first lead.

A rule set adds its phases between the deal and the play, and its settlement. Actions are
integers: 0 pass, 15 escape, other numbers below 256 the rule set's own verbs, and plays as
`cards << 8 | 16 + kind` (kind 0: default reading). A deal is a tuple (first seat, hands,
bottom, card turned up) of card sets.

Suits never matter, so `legal_actions` lists each multiset of ranks once, with the lowest
suits of the hand, while `is_legal` takes any suits; `canonical` maps one to the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from paiju.rules.api import ALL, CHANCE, Deadline, Event, IllegalAction
from paiju.rules.cards import RANK_NAMES
from paiju.rules.climbing.combos import Laid, Reading
from paiju.rules.climbing.dealing import Dealing
from paiju.rules.climbing.hand import Deal, Move
from paiju.rules.climbing.plays import LOWEST_PLAY, PASS, PLAY
from paiju.rules.compiled import mypyc_attr

ESCAPE: Final = 15

_BUDGET_MS: Final = 20


_new: Final = tuple.__new__
"""Makes an Event at half the price of its constructor."""
_ALONE: Final = (*((seat,) for seat in range(8)), (CHANCE,))
"""`to_act` by the turn; CHANCE is the last."""
_PASSED: Final = tuple(Event("pass", {"seat": seat}) for seat in range(8))


@mypyc_attr(allow_interpreted_subclasses=True)
class ClimbingState(Dealing):
    """One hand. Phases: deal, the rule set's own, play, end."""

    __slots__ = ()

    # ---- what a rule set adds --------------------------------------------------------------

    def _check_stage(self, seat: int, action: int) -> None:
        """IllegalAction unless the seat may do this in the present phase before the play."""
        raise NotImplementedError

    def _stage_actions(self, seat: int) -> Sequence[int]:
        """What a seat that is to act may do in the present phase before the play."""
        raise NotImplementedError

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        raise NotImplementedError

    def _dealt(self) -> None:
        """The cards are dealt: begin the first phase."""
        raise NotImplementedError

    def _bomb_factor(self, bomb: Reading) -> int:
        """What a bomb that is played multiplies the stakes by."""
        return 2

    def view(self, seat: int) -> dict[str, Any]:
        raise NotImplementedError

    # ---- whose turn ------------------------------------------------------------------------

    def to_act(self) -> tuple[int, ...]:
        return _ALONE[self.turn] if self.result is None else ()

    def phase(self) -> str:
        return self.stage

    def deadlines(self) -> tuple[Deadline, ...]:
        if self.result is not None or self.stage == "deal":
            return ()
        return (Deadline(self.turn, self.stage),)

    def is_terminal(self) -> bool:
        return self.result is not None

    # ---- actions ---------------------------------------------------------------------------

    def apply(self, seat: int, action: Move) -> list[Event]:
        if seat == self.turn and self.stage == "play" and isinstance(action, int):
            if action >= LOWEST_PLAY:
                return self._play(seat, action)
            if action == PASS:
                return self._pass(seat)
        self._check(seat, action)
        self._log.append((seat, action))
        self._public = None
        if isinstance(action, tuple):
            return self._deal(action)
        return self._escape(seat) if action == ESCAPE else self._act_stage(seat, action)

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
            if seat != CHANCE or self.stage != "deal":
                raise IllegalAction("wrong_phase")
            self._check_deal(action)
        elif action == ESCAPE:
            if not self._log or not 0 <= seat < len(self.hands):
                raise IllegalAction("wrong_phase")
        elif self.stage != "play":
            if not self._log or action >= LOWEST_PLAY:
                raise IllegalAction("wrong_phase" if seat in self.to_act() else "not_your_turn")
            self._check_stage(seat, action)
        elif seat != self.turn:
            raise IllegalAction("not_your_turn")
        elif action >= LOWEST_PLAY:
            self._laid(seat, action)
        elif action != PASS:
            raise IllegalAction("wrong_phase")
        elif self.table is None:
            raise IllegalAction("must_lead")

    def _check_turn(self, seat: int) -> None:
        """For phases in which one seat after the other acts."""
        if seat != self.turn:
            raise IllegalAction("not_your_turn")

    def _laid(self, seat: int, action: int) -> tuple[Reading, Laid]:
        """What a play lays. IllegalAction; the turn is checked before."""
        cards = action >> 8
        if cards & ~self.hands[seat]:
            lacking = self.deck.lacking(self.hands[seat], cards)
            if lacking:
                raise IllegalAction("not_in_hand", cards=" ".join(self.deck.names(lacking)))
        combos, table = self.combos, self.table
        laid = combos.laid(cards)
        readings = laid.readings
        number = (action & 0xFF) - PLAY
        if number:
            readings = combos.named(readings, number)
        if not readings:
            raise IllegalAction("no_such_play")
        if table is None:
            return readings[0], laid
        kind, rank, length = table
        for reading in readings:
            if reading[0] == kind and reading[2] == length:
                if reading[1] > rank:
                    return reading, laid
            elif reading[0] in combos.bombs and combos.beats(reading, table):
                return reading, laid
        raise IllegalAction("does_not_beat", **table.shown())

    def legal_actions(self, seat: int) -> Sequence[int]:
        """Each multiset of ranks once; () when it is not the seat's turn."""
        if self.stage != "play":
            return self._stage_actions(seat) if seat >= 0 and seat in self.to_act() else ()
        if seat != self.turn:
            return ()
        if self.table is None:
            return self.finder.leads(self.hands[seat], self.counts[seat])
        return self.finder.follows(self.hands[seat], self.counts[seat], self.table)

    def canonical(self, seat: int, action: Move) -> Move:
        """The listed action that does the same: a play with the lowest suits of the hand."""
        if isinstance(action, tuple) or action < LOWEST_PLAY:
            return action
        cards = self.deck.pick(self.hands[seat], self.deck.counts(action >> 8))
        return cards << 8 | action & 0xFF

    def default_action(self, seat: int) -> Move:
        """Following: pass. Leading: the lowest card as a single."""
        if self.stage == "play" and self.table is None:
            return self.deck.lowest(self.hands[seat]) << 8 | PLAY
        return PASS

    def hint(self, seat: int) -> Move:
        """The bot's move, from what the seat sees."""
        action: Move = self.game.bot().act(self.view(seat), self.legal_actions(seat), _BUDGET_MS)
        return action

    def abandon(self, seat: int, reason: str) -> list[Event]:
        """Leaving before the end is an escape, whatever the reason."""
        return self.apply(seat, ESCAPE)

    # ---- what actions do -------------------------------------------------------------------

    def deal_unchecked(self, deal: Deal) -> list[Event]:
        """Begin with any cards in the hands: for golden cases and studies."""
        self._log.append((CHANCE, deal))
        return self._deal(deal)

    def _deal(self, deal: Deal) -> list[Event]:
        self.first, hands, self.bottom, self.mark = deal
        self.hands = list(hands)
        self.counts = [self.deck.counts(hand) for hand in hands]
        self._dealt()
        return self._deal_events()

    def _deal_events(self) -> list[Event]:
        """To each seat its hand."""
        return [
            Event("deal", {"first": self.first, "hand": self.deck.names(hand)}, (seat,), None)
            for seat, hand in enumerate(self.hands)
        ]

    def _take_bottom(self, seat: int) -> None:
        """The bottom cards join the landlord's hand."""
        self.landlord = seat
        self.hands[seat] += self.bottom
        self.counts[seat] = self.deck.counts(self.hands[seat])

    def _begin_play(self) -> None:
        assert self.landlord is not None
        self.stage, self.turn = "play", self.landlord

    def _pass(self, seat: int) -> list[Event]:
        if self.table is None:
            raise IllegalAction("must_lead")
        self._log.append((seat, PASS))
        self._public = None
        self.passes += 1
        self.shown[seat] = 0
        seats = len(self.hands)
        self.turn = (seat + 1) % seats
        if self.passes == seats - 1:
            self.table, self.passes = None, 0
        return [_PASSED[seat]]

    def _play(self, seat: int, action: int) -> list[Event]:
        reading, laid = self._laid(seat, action)
        counts = laid.counts
        kind, rank, length = reading
        cards = action >> 8
        seats = len(self.hands)
        self._log.append((seat, action))
        self._public = None
        if self.table is None:
            self.shown = [None] * seats
        self.hands[seat] = hand = self.hands[seat] - cards
        self.counts[seat] -= counts
        self.played += counts
        self.plays[seat] += 1
        if kind in self.combos.bombs:
            self.factor *= self._bomb_factor(reading)
        self.table, self.last, self.passes = reading, seat, 0
        self.shown[seat] = cards
        self.turn = (seat + 1) % seats
        data = {
            "seat": seat,
            "cards": laid.names,
            "left": self.deck.length(hand),
            "kind": kind,
            "rank": RANK_NAMES[rank],
            "length": length,
        }
        events: list[Event] = [_new(Event, ("play", data, ALL, None))]
        if not hand:
            self.stage, self.result, self.winner = "end", "finished", seat
            events.append(self._laid_open())
        return events

    def _escape(self, seat: int) -> list[Event]:
        self.stage, self.result, self.winner = "end", "escaped", seat
        return [Event("escape", {"seat": seat}), self._laid_open()]

    def _laid_open(self) -> Event:
        """At the end of a hand that was played all may see what is left."""
        return Event("end", {"hands": [self.deck.names(hand) for hand in self.hands]})
