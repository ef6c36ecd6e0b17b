"""The play: tricks, yielding, burning, going out (specification, sections 4, 5, 6 and 9).

Who is asked is decided in `asking`. A burn of a threshold play that is not dead comes out of
turn.
"""

from __future__ import annotations

from collections.abc import Sequence

from games.gouji import deck, scores
from games.gouji.actions import BURN, PASS, PLAY, SEATS, YIELD, with_cards
from games.gouji.asking import Asking
from games.gouji.plays import Reading
from games.gouji.seats import opposite
from paiju.rules.api import Event, IllegalAction


class Trick(Asking):
    """Phase play."""

    __slots__ = ()

    # ---- checks ----------------------------------------------------------------------------

    def _check_play(self, seat: int, verb: int, cards: int) -> None:
        if verb == BURN:
            self._check_burn(seat)
            self._check_cards(seat, cards)
            return
        if seat != self.queue[0]:
            raise IllegalAction("not_your_turn")
        if verb == PLAY and self.window is None:
            self._check_cards(seat, cards)
        elif verb == PASS:
            if self.top is None:
                raise IllegalAction("must_lead")
        elif verb == YIELD and self.window is None:
            if not self.may_yield(seat):
                raise IllegalAction("cannot_yield")
        else:
            raise IllegalAction("wrong_phase")

    def _check_cards(self, seat: int, cards: int) -> None:
        """Cards that the seat may lay on the top play, or lead with."""
        self._check_holds(seat, cards)
        reading = self.plays.reading(cards)
        if reading is None:
            raise IllegalAction("no_such_play")
        if self.bie_san and cards & deck.THREES and (cards != self.hands[seat] or cards >> 12):
            raise IllegalAction("threes_last")
        if self.top is not None and not self.plays.beats(reading, self.top):
            raise IllegalAction("does_not_beat", **self.top.shown())

    def _check_burn(self, seat: int) -> None:
        if self.window is not None:
            if seat != self.queue[0]:
                raise IllegalAction("not_your_turn")
        elif not self.may_burn() >> seat & 1:
            raise IllegalAction("cannot_burn")

    # ---- acts ------------------------------------------------------------------------------

    def _act_play(self, seat: int, verb: int, cards: int) -> list[Event]:
        if verb == PASS:
            return self._pass(seat)
        if verb == YIELD:
            self.yielded = seat
            self.said[seat], self.laid[seat] = "yield", 0
            self.queue = [*self.queue[1:], seat]
            return [Event("yield", {"seat": seat})]
        return self._lay(seat, cards, burn=verb == BURN)

    def _pass(self, seat: int) -> list[Event]:
        bit = 1 << seat
        if self.melee() and self.reentered & bit:
            self.out |= bit
        self.passed |= bit
        self.said[seat], self.laid[seat] = "pass", 0
        events = [Event("pass", {"seat": seat})]
        if self.window is not None:
            self._ask_burner()
        else:
            self.queue = self.queue[1:]
            if seat == opposite(self.top_seat or 0) and self.queue and self.yielded is None:
                self.recall = True
        if not self.queue:
            self._nobody_left(events)
        return events

    def _nobody_left(self, events: list[Event]) -> None:
        """Everybody was asked about the top play."""
        if self.window is None and self.recall and self._second_call():
            self.recall = False
            self.queue = [opposite(self.top_seat or 0)]
            return
        top, seat = self.top, self.top_seat
        assert top is not None and seat is not None
        if top.opens and self.fair:
            self.opened |= 1 << seat
        self._new_trick(seat)
        events.append(Event("trick", {"seat": seat, "leader": self.queue[0]}))

    def _new_trick(self, leader: int) -> None:
        self.top = self.top_seat = self.window = None
        self.passed = self.reentered = self.out = 0
        self.dead = self.went_out = self.only_threes = self.by_yielder = self.recall = False
        self.yielded = None
        self.said = [None] * SEATS
        self.laid = [0] * SEATS
        self.queue = [self.next_active(leader)]

    # ---- laying a play ---------------------------------------------------------------------

    def _lay(self, seat: int, cards: int, *, burn: bool) -> list[Event]:
        reading = self.plays.reading(cards)
        assert reading is not None
        left = self.hands[seat] - cards
        if self.burner == seat and left and not reading.jokers:
            return self._burn_fails(seat, cards)
        melee, beaten = self.melee(), self.top_seat
        answers_last = self.went_out and beaten is not None and seat == opposite(beaten)
        if self.only_threes and beaten is not None:
            self.smothered.append((beaten, seat))
        if self.burner is not None and self.burner != seat:
            self.burner = self.victim = None  # 解烧
        if burn:
            self.burner, self.victim = seat, beaten
        self._remove(seat, cards)
        self.dead = answers_last
        if reading.gouji and self.has_credit(seat):
            self.dead, self.credits = True, self.credits - 1
        if melee and self.passed >> seat & 1:
            self.reentered |= 1 << seat
        self.top, self.top_seat, self.window = reading, seat, None
        self.by_yielder, self.yielded, self.recall = self.yielded == seat, None, False
        self.fair = not melee
        self.only_threes = self.bie_san and 0 < left <= deck.THREES
        self.said[seat], self.laid[seat] = "burn" if burn else "play", cards
        events = [self._laid(seat, cards, reading, burn=burn)]
        self.went_out = not left and self._goes_out(seat, reading, events)
        if self._over():
            events.append(self._end())
            return events
        self._ask()
        if not self.queue:
            self._nobody_left(events)
        return events

    def _remove(self, seat: int, cards: int) -> None:
        self.hands[seat] -= cards
        self.gone[seat] += cards
        if self.known[seat]:
            self.known[seat] = deck.minus(self.known[seat], cards)

    def _laid(self, seat: int, cards: int, reading: Reading, *, burn: bool) -> Event:
        data = {
            "seat": seat,
            "cards": list(deck.names_of(cards)),
            "kind": reading.kind,
            "gouji": reading.gouji,
            "dead": self.dead,
        }
        return Event("burn" if burn else "play", data)

    def _goes_out(self, seat: int, reading: Reading, events: list[Event]) -> bool:
        """Whether an answer of the opposite would be dead: first or second, by a threshold."""
        self.finished.append(seat)
        self.inactive |= 1 << seat
        events.append(Event("out", {"seat": seat, "place": len(self.finished)}))
        if self.burner == seat:
            assert self.victim is not None
            self.burned.append((self.victim, seat))
            events.append(Event("burn_succeeded", {"seat": seat, "victim": self.victim}))
            self.burner = self.victim = None
        self._melee_begins()
        return reading.gouji and len(self.finished) <= 2

    def _melee_begins(self) -> None:
        if self.melee():
            self.credits = 0

    def _burn_fails(self, seat: int, cards: int) -> list[Event]:
        """The lead goes back, the burner is out of the hand, its victim leads."""
        victim = self.victim
        assert victim is not None
        self.known[seat] = deck.union(self.known[seat], cards)
        self.failed.append(seat)
        self.inactive |= 1 << seat
        self.burner = self.victim = None
        self._melee_begins()
        self._new_trick(victim)
        data = {"seat": seat, "cards": list(deck.names_of(cards)), "leader": self.queue[0]}
        return [Event("burn_failed", data)]

    # ---- the end ---------------------------------------------------------------------------

    def _over(self) -> bool:
        if self.inactive.bit_count() >= SEATS - 1:
            return True
        return scores.is_sweep(scores.places(self.finished, self.failed, self.revolution))

    def places(self) -> list[int] | None:
        """Seats from first to last; None unless the hand was played to its end."""
        if self.result != "finished":
            return None
        last = [seat for seat in range(SEATS) if self.active(seat)]
        finished = [*self.finished, *last] if len(last) == 1 else self.finished
        return scores.all_places(finished, self.failed, self.revolution)

    def _end(self) -> Event:
        self.stage, self.result, self.queue, self.window = "over", "finished", [], None
        self.burner = self.victim = None
        return Event("end", {"hands": [list(deck.names_of(hand)) for hand in self.hands]})

    # ---- what may be done ------------------------------------------------------------------

    def _play_actions(self, seat: int) -> Sequence[int]:
        """Hint set of the seat that is asked."""
        if self.top is None:
            leads = self.finder.leads(self.hands[seat], bie_san=self.bie_san)
            return [with_cards(PLAY, cards) for cards in leads]
        actions = [PASS, YIELD] if self.may_yield(seat) else [PASS]
        verb = PLAY if self.window is None else BURN
        follows = self.finder.follows(self.hands[seat], self.top, bie_san=self.bie_san)
        return [*actions, *(with_cards(verb, cards) for cards in follows)]

    def claims(self, seat: int) -> Sequence[int]:
        """Hint set of the burns that a seat may send out of turn now."""
        if self.stage != "play" or self.window is not None or self.top is None:
            return ()
        if not 0 <= seat < SEATS or not self.may_burn() >> seat & 1:
            return ()
        follows = self.finder.follows(self.hands[seat], self.top, bie_san=self.bie_san)
        return [with_cards(BURN, cards) for cards in follows]

    def _play_default(self, seat: int) -> int:
        """Asked: pass. Leading: the lowest single, under obligation what may still save it."""
        if self.top is not None:
            return PASS
        return with_cards(PLAY, self._usual_lead(self.hands[seat], burner=self.burner == seat))

    def _usual_lead(self, hand: int, *, burner: bool) -> int:
        threes = hand & deck.THREES if self.bie_san else 0
        if threes == hand:
            return hand
        if burner:
            if not threes and self.plays.reading(hand) is not None:
                return hand
            for joker in (deck.BJ_RANK, deck.RJ_RANK):
                if deck.count_of(hand, joker):
                    return deck.of_rank(hand, joker, 1)
        return deck.lowest(hand - threes, 1)
