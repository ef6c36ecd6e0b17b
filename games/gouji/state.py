"""A hand of Gouji as the rule interface wants it (paiju.rules.api.State)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

from games.gouji import deck, scores, tributes, views, worlds
from games.gouji.actions import ESCAPE, LEAD, SEATS, Move
from games.gouji.opening import LEADS
from games.gouji.seats import burn_order
from games.gouji.trick import Trick
from paiju.rules.api import CHANCE, Deadline, Event, IllegalAction, Outcome, Rng

_BUDGET_MS = 20


class State(Trick):
    """Phases: deal, revolution, head, tribute, buy_three, announce, show_lead, lead, play, over."""

    __slots__ = ()

    tribute_order: Sequence[str]

    # ---- whose turn ------------------------------------------------------------------------

    def to_act(self) -> tuple[int, ...]:
        """Whoever is asked; a burn may come from others, too (`claims`)."""
        if self.result is not None:
            return ()
        if self.stage in ("deal", "lead"):
            return (CHANCE,)
        return tuple(self.queue) if self.stage == "show_lead" else (self.queue[0],)

    def phase(self) -> str:
        return self.stage

    def deadlines(self) -> tuple[Deadline, ...]:
        key = "burn" if self.window is not None else self.stage
        return tuple(Deadline(seat, key) for seat in self.to_act() if seat != CHANCE)

    def is_terminal(self) -> bool:
        return self.result is not None

    # ---- actions ---------------------------------------------------------------------------

    def apply(self, seat: int, action: Move) -> list[Event]:
        self._check(seat, action)
        self._log.append((seat, action))
        self._public = None
        if isinstance(action, tuple):
            events = self._deal(action)
        elif action == ESCAPE:
            return self._escape(seat)
        elif seat == CHANCE:
            events = self._lead(action - LEAD)
        elif self.stage == "play":
            return self._act_play(seat, action & 0xFF, action >> 8)
        else:
            events = self._act_opening(seat, action & 0xFF, action >> 8)
        self.tells = len(self._log)
        return events

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
            self._check_deal(seat, action)
        elif seat == CHANCE:
            if self.stage != "lead" or action not in LEADS:
                raise IllegalAction("wrong_phase")
        elif not 0 <= seat < SEATS:
            raise IllegalAction("not_your_turn")
        elif action == ESCAPE:
            if self.stage == "deal":
                raise IllegalAction("wrong_phase")
        elif self.stage == "play":
            self._check_play(seat, action & 0xFF, action >> 8)
        elif self.stage in ("deal", "lead"):
            raise IllegalAction("wrong_phase")
        elif seat not in self.queue or (self.stage != "show_lead" and seat != self.queue[0]):
            raise IllegalAction("not_your_turn")
        else:
            self._check_opening(seat, action & 0xFF, action >> 8)

    def legal_actions(self, seat: int) -> Sequence[int]:
        """A hint set; () for a seat that is not asked."""
        if seat == CHANCE or seat not in self.to_act():
            return ()
        if self.stage == "play":
            return self._play_actions(seat)
        return self._opening_actions(seat)

    def canonical(self, seat: int, action: Move) -> Move:
        """Suits tell cards apart here (showing for the lead), so an action is itself."""
        return action

    def default_action(self, seat: int) -> Move:
        """What a time-out plays (section 3)."""
        if self.stage == "play":
            return self._play_default(seat)
        return self._opening_default(seat)

    def hint(self, seat: int) -> Move:
        """The bot's move, from what the seat sees."""
        action: Move = self.game.bot().act(self.view(seat), self.legal_actions(seat), _BUDGET_MS)
        return action

    def abandon(self, seat: int, reason: str) -> list[Event]:
        """Leaving before the end is an escape, whatever the reason."""
        return self.apply(seat, ESCAPE)

    def _escape(self, seat: int) -> list[Event]:
        self.stage, self.result, self.queue, self.window = "over", "escaped", [], None
        self.leaver = seat
        hands = [list(deck.names_of(hand)) for hand in self.hands]
        return [Event("escape", {"seat": seat}), Event("end", {"hands": hands})]

    def order_claims(self, claims: Sequence[tuple[int, Move]]) -> Sequence[tuple[int, Move]]:
        """Burns of one moment, the one that counts first; the others were meant for a play
        that is then covered. IllegalAction when one of them is illegal: none counts."""
        for seat, action in claims:
            self._check(seat, action)
        if self.top_seat is None:
            return list(claims)
        order = burn_order(self.top_seat)
        return sorted(claims, key=lambda claim: order.index(claim[0]) if claim[0] in order else 9)

    # ---- chance ----------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        """The deal; later, if nobody showed for the lead, who leads."""
        if self.stage == "lead":
            return LEAD + rng.below(SEATS)
        pack = self.game.pack
        order = rng.permutation(len(pack))
        size = len(pack) // SEATS
        return tuple(
            sum(deck.UNITS[pack[card]] for card in order[start : start + size])
            for start in range(0, size * SEATS, size)
        )

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = views.public(self)
        return views.of_seat(self, self._public, seat)

    def resample(self, seat: int, rng: Rng) -> Self:
        return worlds.resample(self, seat, rng)

    # ---- result ----------------------------------------------------------------------------

    def is_sweep(self) -> bool:
        """串三户."""
        table = self.places()
        return table is not None and scores.is_sweep(table)

    def debts_of_this_hand(self) -> list[tributes.Debt]:
        """What the next hand of the series would pay for this one."""
        table = self.places()
        if table is None:
            return []
        return tributes.plan(
            places=table,
            announced=seats_of(self.announced),
            opened=seats_of(self.opened),
            burned=self.burned,
            smothered=self.smothered,
            order=self.tribute_order,
        )

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        booked = self._settled()
        carry = self._carried()
        return Outcome(self.result, booked.deltas, booked.fees, 0, carry, carry.get("first"))

    def _settled(self) -> scores.Settlement:
        values, table = self.game.values, self.places()
        unit = int(values["unit"])
        if table is not None:
            return scores.settled(table, unit, self.wealth)
        if self.leaver is not None:
            return scores.escaped(self.leaver, values["escape_penalty"] * unit, self.wealth)
        return scores.Settlement((0,) * SEATS, (0,) * SEATS)

    def _carried(self) -> dict[str, Any]:
        """Void by revolutions: the same again. Escaped, or the last hand: a new series."""
        if self.result == "redeal":
            return dict(self.carry)
        table = self.places()
        if table is None or self.number >= self.game.values["series"]:
            return {}
        carry: dict[str, Any] = {
            "hand": self.number + 1,
            "tributes": [debt.shown() for debt in self.debts_of_this_hand()],
        }
        if self.bie_san:
            carry["first"] = table[-1]
        return carry


def seats_of(mask: int) -> list[bool]:
    """Six booleans in seat order."""
    return [bool(mask >> seat & 1) for seat in range(SEATS)]
