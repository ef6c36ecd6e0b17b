"""The phases in which cards change hands: tribute and buying threes (specification, 7 and 8).

All of it happens openly. `own` are the cards that were dealt to a seat and that it still has:
only they pay tribute. `known` are those that everybody has seen go into a hand.
"""

from __future__ import annotations

from games.gouji import deck, threes, tributes
from games.gouji.actions import AUTO_REVOLUTION, BUY, RETURN, SEATS, TRIBUTE, with_cards
from games.gouji.hand import HandState
from games.gouji.seats import opposite
from games.gouji.tributes import Debt
from paiju.rules.api import Event, IllegalAction


class Trading(HandState):
    """Phases tribute and buy_three."""

    __slots__ = ()

    # ---- what `opening` adds ---------------------------------------------------------------

    def _ask_head(self) -> None:
        """The opposite of a revolutionist, once; then the phase that is next."""
        raise NotImplementedError

    def _begin_announcing(self) -> None:
        raise NotImplementedError

    # ---- tribute ---------------------------------------------------------------------------

    def _begin_tributes(self) -> None:
        self.stage, self.own = "tribute", list(self.hands)
        aside = self.revolution
        self.debts = [debt for debt in self.debts if aside not in (debt.payer, debt.receiver)]
        self._ask_debt()

    def _ask_debt(self) -> None:
        while self.debt_at < len(self.debts):
            if self.owes():
                debt = self.debts[self.debt_at]
                self.queue = [debt.receiver if self.returning else debt.payer]
                return
            self.debt_at += 1
        self._begin_buying()

    def debt(self) -> Debt:
        """The one that is being paid."""
        return self.debts[self.debt_at]

    def owes(self) -> int:
        """Cards that the next tribute or return has; a payer gives what it still has."""
        debt = self.debts[self.debt_at]
        return debt.cards if self.returning else min(debt.cards, deck.size_of(self.own[debt.payer]))

    def _check_tribute(self, seat: int, verb: int, cards: int) -> None:
        if verb != (RETURN if self.returning else TRIBUTE):
            raise IllegalAction("wrong_phase")
        self._check_holds(seat, cards)
        count = self.owes()
        if deck.size_of(cards) != count:
            raise IllegalAction("tribute_count", count=count)
        if not self.returning and not tributes.pays(self.own[seat], count, cards):
            raise IllegalAction("tribute_highest", count=count)

    def _tribute(self, seat: int, cards: int) -> list[Event]:
        debt, back = self.debt(), self.returning
        other = debt.payer if back else debt.receiver
        self._hand_over(seat, other, cards, own=not back)
        if not back and debt.returned:
            # As many come back as were given, should the payer have had too few.
            self.debts[self.debt_at] = debt._replace(cards=deck.size_of(cards))
            self.returning = True
        else:
            self.debt_at, self.returning = self.debt_at + 1, False
        data = {"from": seat, "to": other, "cards": list(deck.names_of(cards)), "kind": debt.kind}
        self._ask_debt()
        return [Event("return_tribute" if back else "tribute", data)]

    def _hand_over(self, giver: int, taker: int, cards: int, *, own: bool = False) -> None:
        """Openly. own: these are cards that were dealt to the giver; otherwise of equal cards
        those that it received, which everybody has seen, are the first to go on."""
        self.hands[giver] -= cards
        self.hands[taker] += cards
        if own:
            self.own[giver] -= cards
        else:
            self.own[giver] = deck.common(self.own[giver], self.hands[giver])
            self.known[giver] = deck.minus(self.known[giver], cards)
        self.known[taker] += cards

    def _check_holds(self, seat: int, cards: int) -> None:
        if not deck.covers(self.hands[seat], cards):
            missing = deck.text_of(deck.minus(cards, self.hands[seat]))
            raise IllegalAction("not_in_hand", cards=missing)

    def _usual_tribute(self, seat: int) -> int:
        count = self.owes()
        if self.returning:
            cards = tributes.usual_return(self.hands[seat], count, bie_san=self.bie_san)
            return with_cards(RETURN, cards)
        return with_cards(TRIBUTE, tributes.usual_payment(self.own[seat], count))

    # ---- buying threes ---------------------------------------------------------------------

    def _begin_buying(self) -> None:
        if not self.bie_san:
            self._begin_announcing()
            return
        self.stage, self.cursor = "buy_three", 0
        self._ask_buyer()

    def _ask_buyer(self) -> None:
        while self.cursor < SEATS:
            need = self.need(self.cursor)
            if need is not None:
                self.queue = [self.cursor]
                self.threeless |= 1 << self.cursor
                if need.verb == AUTO_REVOLUTION:
                    self.weak |= 1 << self.cursor
                return
            self.cursor += 1
        self.traded = True
        self._ask_head()

    def need(self, seat: int) -> threes.Need | None:
        """What the seat must do in the round of buying."""
        return threes.need(self.hands, seat, self.revolution)

    def _check_buying(self, seat: int, verb: int, cards: int) -> None:
        need = self.need(seat)
        if need is None or verb != need.verb:
            raise IllegalAction("wrong_phase")
        if verb == BUY:
            self._check_holds(seat, cards)
            if not threes.is_payment(cards):
                raise IllegalAction("three_payment")

    def _buy(self, seat: int, verb: int, cards: int) -> list[Event]:
        self.cursor += 1
        if verb == AUTO_REVOLUTION:
            events = [Event("auto_revolution", {"seat": seat})]
            if self._revolt(seat):
                return [*events, self._void()]
            self._ask_buyer()
            return events
        need = self.need(seat)
        assert need is not None and need.source is not None
        three = threes.three_of(self.hands[need.source])
        self._hand_over(seat, need.source, cards)
        self._hand_over(need.source, seat, three)
        data = {
            "seat": seat,
            "from": need.source,
            "paid": list(deck.names_of(cards)),
            "three": deck.text_of(three),
        }
        self.bought.append((seat, need.source, deck.text_of(three)))
        self._ask_buyer()
        return [Event("buy_three" if cards else "ask_three", data)]

    # ---- a revolution ----------------------------------------------------------------------

    def _revolt(self, seat: int) -> bool:
        """True when this is the second one, which voids the hand."""
        if self.revolution is not None:
            self.stage, self.result, self.queue = "over", "redeal", []
            return True
        self.revolution = seat
        self.inactive |= 1 << seat
        self.opened |= 1 << opposite(seat)
        return False

    def _void(self) -> Event:
        return Event("redeal", {"hands": [list(deck.names_of(hand)) for hand in self.hands]})


def payments(hand: int) -> list[int]:
    """The ways to pay for a three, the lowest rank first."""
    return [
        with_cards(BUY, deck.of_rank(hand, rank, 1))
        for rank in (deck.TWO, deck.BJ_RANK, deck.RJ_RANK)
        if deck.count_of(hand, rank)
    ]
