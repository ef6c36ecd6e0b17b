"""The phases before the first lead: revolution, head, tribute, buying threes, announcing,
showing for the lead (specification, sections 3, 6, 7 and 8).

Each phase goes round by `cursor`, asks one seat at a time (`queue[0]`) and ends by beginning
the next one; who is not concerned is not asked. Only `show_lead` asks all at once.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.gouji import deck
from games.gouji.actions import (
    ANNOUNCE,
    BUY,
    LEAD,
    NO_HEAD,
    PASS,
    REVOLUTION,
    SEATS,
    SHOW,
    WANT_HEAD,
    Deal,
    with_cards,
)
from games.gouji.seats import opposite
from games.gouji.trading import Trading, payments
from paiju.rules.api import CHANCE, Event, IllegalAction

_CREDITS = 3
"""Dead threshold plays after `want_head`."""
_SHOWN = 2
"""Identical cards that may be shown for the lead, at least."""


class Opening(Trading):
    """Phases deal .. lead."""

    __slots__ = ()

    # ---- the deal --------------------------------------------------------------------------

    def _check_deal(self, seat: int, deal: Deal) -> None:
        if seat != CHANCE or self.stage != "deal":
            raise IllegalAction("wrong_phase")
        size = len(self.game.pack) // SEATS
        sizes = [deck.size_of(hand) for hand in deal]
        if sizes != [size] * SEATS or sum(deal) != self.game.whole_pack:
            raise IllegalAction("bad_deal")

    def _deal(self, deal: Deal) -> list[Event]:
        self.hands = list(deal)
        self._begin_opening()
        return [
            Event("deal", {"hand": list(deck.names_of(hand))}, (seat,), None)
            for seat, hand in enumerate(deal)
        ]

    def deal_unchecked(self, deal: Deal) -> list[Event]:
        """Begin with any cards in the hands: for golden cases and studies."""
        self._log.append((CHANCE, deal))
        return self._deal(deal)

    def begin_unchecked(
        self,
        deal: Deal,
        *,
        finished: Sequence[int] = (),
        revolution: int | None = None,
        wants_head: bool = False,
    ) -> None:
        """Begin with the play, some seats being out of it: for golden cases and studies."""
        self._log.append((CHANCE, deal))
        self.hands = list(deal)
        self.finished = list(finished)
        self.inactive = sum(1 << seat for seat in finished)
        if revolution is not None:
            self._revolt(revolution)
            self.credits = _CREDITS if wants_head and not self.melee() else 0
        self._begin_play()

    def _begin_opening(self) -> None:
        self.stage, self.cursor = "revolution", 0
        self._ask_revolution()

    # ---- revolution and head ---------------------------------------------------------------

    def _ask_revolution(self) -> None:
        """The next seat that was dealt neither 2 nor joker."""
        while self.cursor < SEATS:
            seat, self.cursor = self.cursor, self.cursor + 1
            if self.hands[seat] < deck.HIGH_FROM:
                self.queue = [seat]
                self.weak |= 1 << seat
                return
        self._ask_head()

    def _ask_head(self) -> None:
        """The opposite of a revolutionist, once; then the phase that is next."""
        if self.revolution is not None and not self.headed:
            self.stage, self.headed = "head", True
            self.queue = [opposite(self.revolution)]
        elif self.traded:
            self._begin_announcing()
        else:
            self._begin_tributes()

    # ---- announcing, showing, the lead -----------------------------------------------------

    def _begin_announcing(self) -> None:
        self.stage, self.cursor = "announce", 0
        self._ask_announcer()

    def _ask_announcer(self) -> None:
        if self.cursor == self.revolution:
            self.cursor += 1
        if self.cursor < SEATS:
            self.queue = [self.cursor]
        else:
            self._begin_showing()

    def _begin_showing(self) -> None:
        if self.first is not None:
            self._begin_play()
            return
        self.stage = "show_lead"
        self.queue = [seat for seat in range(SEATS) if self.active(seat)]

    def _check_show(self, seat: int, cards: int) -> None:
        self._check_holds(seat, cards)
        if not shown(cards, bie_san=self.bie_san):
            raise IllegalAction("not_identical", rank="4" if self.bie_san else "3")

    def _show(self, seat: int, cards: int) -> list[Event]:
        self.queue.remove(seat)
        events = []
        if cards:
            count = deck.size_of(cards)
            if count > self.show_count:
                self.show_seat, self.show_count = seat, count
            self.known[seat] = deck.union(self.known[seat], cards)
            events = [Event("show_lead", {"seat": seat, "cards": list(deck.names_of(cards))})]
        if not self.queue:
            if self.show_seat is None:
                self.stage = "lead"  # chance says who
            else:
                self.first = self.show_seat
                self._begin_play()
        return events

    def _begin_play(self) -> None:
        assert self.first is not None
        self.stage, self.queue = "play", [self.next_active(self.first)]

    # ---- dispatch --------------------------------------------------------------------------

    def _check_opening(self, seat: int, verb: int, cards: int) -> None:
        """The turn is checked before."""
        stage = self.stage
        if stage == "tribute":
            self._check_tribute(seat, verb, cards)
        elif stage == "buy_three":
            self._check_buying(seat, verb, cards)
        elif stage == "show_lead" and verb == SHOW:
            self._check_show(seat, cards)
        elif verb not in _VERBS[stage]:
            raise IllegalAction("wrong_phase")

    def _act_opening(self, seat: int, verb: int, cards: int) -> list[Event]:
        stage = self.stage
        if stage == "tribute":
            return self._tribute(seat, cards)
        if stage == "buy_three":
            return self._buy(seat, verb, cards)
        if stage == "show_lead":
            return self._show(seat, cards)
        if stage == "revolution":
            events = [] if verb == PASS else [Event("revolution", {"seat": seat})]
            if verb == REVOLUTION and self._revolt(seat):
                return [*events, self._void()]
            self._ask_revolution()
            return events
        if stage == "head":
            self.credits = _CREDITS if verb == WANT_HEAD else 0
            self._ask_head()
            return [Event("head", {"seat": seat, "wanted": verb == WANT_HEAD})]
        self.cursor += 1
        if verb == ANNOUNCE:
            self.announced |= 1 << seat
        self._ask_announcer()
        return [Event("announce", {"seat": seat, "announced": verb == ANNOUNCE})]

    def _lead(self, seat: int) -> list[Event]:
        """Chance's choice where nobody showed."""
        self.first = seat
        self._begin_play()
        return [Event("lead", {"seat": seat})]

    # ---- what may be done ------------------------------------------------------------------

    def _opening_actions(self, seat: int) -> Sequence[int]:
        """Hint set: every verb, with the usual cards."""
        stage = self.stage
        if stage == "tribute":
            return [self._usual_tribute(seat)]
        if stage == "buy_three":
            need = self.need(seat)
            assert need is not None
            return payments(self.hands[seat]) if need.verb == BUY else [need.verb]
        if stage == "show_lead":
            return [PASS, *shows(self.hands[seat], bie_san=self.bie_san)]
        return _VERBS[stage]

    def _opening_default(self, seat: int) -> int:
        return self._opening_actions(seat)[0]


_VERBS: dict[str, tuple[int, ...]] = {
    "revolution": (PASS, REVOLUTION),
    "head": (NO_HEAD, WANT_HEAD),
    "announce": (PASS, ANNOUNCE),
    "show_lead": (PASS,),
}
"""The time-out's verb first."""


def shown(cards: int, *, bie_san: bool) -> int:
    """How many identical cards these show for the lead; 0 when they may not be shown."""
    rank = deck.FOUR if bie_san else deck.THREE
    size = deck.size_of(cards)
    same = any(cards == size * deck.UNITS[rank * 4 + suit] for suit in range(4))
    return size if same and size >= _SHOWN else 0


def shows(hand: int, *, bie_san: bool) -> list[int]:
    """The most identical cards that the hand can show for the lead, if it can."""
    rank = deck.FOUR if bie_san else deck.THREE
    most = 0
    for suit in range(4):
        unit = deck.UNITS[rank * 4 + suit]
        held = next(n for n in range(deck.COPIES, -1, -1) if deck.covers(hand, n * unit))
        if held >= _SHOWN and held > deck.size_of(most):
            most = held * unit
    return [with_cards(SHOW, most)] if most else []


def best_show(shows: Sequence[tuple[int, int]], *, bie_san: bool) -> int | None:
    """Who leads after these shows (seat, cards) in order of time; None: chance decides."""
    best, most = None, 0
    for seat, cards in shows:
        count = shown(cards, bie_san=bie_san)
        if count > most:
            best, most = seat, count
    return best


LEADS = tuple(LEAD + seat for seat in range(SEATS))
