"""The hand of Wuhuaguo: each seat may declare, then all shed their cards."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from games.wuhuaguo.kinds import HAND, figs
from games.wuhuaguo.legal import OPENING, Turn, has_opening, highest_rank, opened
from games.wuhuaguo.views import public_view
from games.wuhuaguo.worlds import other_hands
from paiju.rules.api import Event, IllegalAction, Outcome, Rng
from paiju.rules.cards import RANKS, names_of
from paiju.rules.climbing import PASS, PLAY, ClimbingState, Reading
from paiju.rules.climbing.combos import Laid
from paiju.rules.climbing.hand import Move
from paiju.rules.climbing.packed import counts_of
from paiju.rules.climbing.plays import LOWEST_PLAY
from paiju.rules.showdown import Settlement

if TYPE_CHECKING:
    from games.wuhuaguo.rules import Wuhuaguo

SEATS = 4
DECLARE = 1
_WORLDS = 100
"""So many worlds are tried where passing tells something (must_beat)."""


class WuhuaguoState(ClimbingState):
    """One hand. Phases: deal, declare, play, end.

    first: the dealer, for the eye only. banker: who holds 3h and begins. asked: seats that
    have said whether they declare. ceiling: the highest rank that a seat may still hold, as
    everybody knows since it played its highest card under the alarm.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (*ClimbingState._SAVED, "banker", "asked", "ceiling")
    __slots__ = ("asked", "banker", "ceiling")

    deal_sizes = (HAND,) * SEATS
    game: Wuhuaguo

    def __init__(
        self, game: Wuhuaguo, wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        super().__init__(game, wealth, carry)
        self.banker = -1
        self.asked = 0
        self.ceiling = [len(RANKS) - 1] * SEATS

    # ---- declaring -------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        """The first dealer is seat 0, then the winner of the hand before."""
        hands, nothing = self._shuffled(rng)
        return self.carry.get("first", 0), hands, nothing, 0

    def _dealt(self) -> None:
        holders = [seat for seat, hand in enumerate(self.hands) if has_opening(hand)]
        self.banker = holders[0] if holders else self.first
        self.stage, self.turn = "declare", self.banker

    def _check_stage(self, seat: int, action: int) -> None:
        self._check_turn(seat)
        if action == DECLARE:
            if not figs(self.hands[seat]):
                raise IllegalAction("no_fig")
        elif action != PASS:
            raise IllegalAction("wrong_phase")

    def _stage_actions(self, seat: int) -> Sequence[int]:
        return (PASS, DECLARE) if figs(self.hands[seat]) else (PASS,)

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        if action == DECLARE:
            self.stage, self.result, self.winner = "end", "finished", seat
            shown = {"seat": seat, "figs": figs(self.hands[seat])}
            return [Event("wuhuaguo", shown), self._laid_open()]
        self.asked += 1
        self.turn = (seat + 1) % SEATS
        if self.asked == SEATS:
            self.stage = "play"
        return [Event("no_wuhuaguo", {"seat": seat})]

    def open_cards(self) -> list[list[str]]:
        """What everybody knows that a seat holds: the banker its 3h, since it begins."""
        known = [0] * SEATS
        known[self.banker] = self.hands[self.banker] & OPENING
        return [names_of(cards) for cards in known]

    # ---- playing ---------------------------------------------------------------------------

    def alarmed(self, seat: int) -> bool:
        """Whether the seat after this one is down to one card."""
        return self.hands[(seat + 1) % SEATS].bit_count() == 1

    def opening(self, seat: int) -> bool:
        """Whether the seat's play must contain 3h."""
        return not self.played and has_opening(self.hands[seat])

    def my_turn(self, seat: int) -> Turn:
        opening = self.opening(seat)
        return Turn(
            hand=self.hands[seat],
            table=self.table,
            opening=opening,
            alarm=self.alarmed(seat) and not opening,
            must_beat=self.game.must_beat,
        )

    def _laid(self, seat: int, action: int) -> tuple[Reading, Laid]:
        laid = super()._laid(seat, action)
        reading = laid[0]
        if self.opening(seat):
            if not has_opening(action >> 8):
                raise IllegalAction("must_open")
        elif reading.kind == "single" and self.alarmed(seat):
            top = highest_rank(self.hands[seat])
            if reading.rank < top:
                raise IllegalAction("alarm", rank=RANKS[top])
        return laid

    def _check(self, seat: int, action: Move) -> None:
        super()._check(seat, action)
        if action == PASS and self.stage == "play":
            self._check_pass(seat)

    def _check_pass(self, seat: int) -> None:
        if self.game.must_beat and self.legal_actions(seat)[0] != PASS:
            raise IllegalAction("must_beat")

    def _pass(self, seat: int) -> list[Event]:
        if self.table is not None:
            self._check_pass(seat)
        return super()._pass(seat)

    def _play(self, seat: int, action: int) -> list[Event]:
        alarm = self.alarmed(seat) and not self.opening(seat)
        events = super()._play(seat, action)
        assert self.table is not None
        if alarm and self.table.kind == "single":
            self.ceiling[seat] = min(self.ceiling[seat], self.table.rank)
        if self.hands[seat].bit_count() == 1:
            events.append(Event("alarm", {"seat": seat}))
        return events

    def legal_actions(self, seat: int) -> Sequence[int]:
        if seat != self.turn or self.stage != "play":
            return super().legal_actions(seat)
        return self.my_turn(seat).plays(self.game.kinds)

    def canonical(self, seat: int, action: Move) -> Move:
        listed = super().canonical(seat, action)
        if isinstance(listed, int) and listed >= LOWEST_PLAY and self.opening(seat):
            return opened(listed)
        return listed

    def default_action(self, seat: int) -> Move:
        """Pass; leading, the lowest card, or the highest under the alarm, or 3h."""
        if self.stage != "play":
            return PASS
        if self.table is not None:
            return PASS if not self.game.must_beat else self._lowest(self.legal_actions(seat))
        hand = self.hands[seat]
        if self.opening(seat):
            return OPENING << 8 | PLAY
        if self.alarmed(seat):
            hand = hand >> 4 * highest_rank(hand) << 4 * highest_rank(hand)
        return (hand & -hand) << 8 | PLAY

    def _lowest(self, legal: Sequence[int]) -> int:
        """The least of the plays that beat the table; pass when there is none."""

        def price(action: int) -> tuple[bool, int, int]:
            reading = self.combos.reading_on(counts_of(action >> 8), self.table, None)
            return (
                (False, -1, 0)
                if reading is None
                else (reading.kind == "bomb", reading.rank, action)
            )

        return min(legal, key=price)

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        """Values are shared between the views of one moment: read them, do not change them."""
        if self._public is None:
            self._public = public_view(self)
        view = dict(self._public)
        if 0 <= seat < SEATS and self.stage != "deal":
            view["hand"] = names_of(self.hands[seat])
            view["figs"] = figs(self.hands[seat]) if self.stage == "declare" else []
            view["legal"] = self._verbs(seat)
        return view

    def _verbs(self, seat: int) -> list[str]:
        """What the seat's buttons may do now; which cards may be played the hint tells."""
        if seat != self.turn or self.result is not None:
            return []
        legal = self.legal_actions(seat)
        if self.stage == "declare":
            return ["pass", "declare"][: len(legal)]
        if legal[0] != PASS:
            return ["play"]
        return ["pass", "play"] if len(legal) > 1 else ["pass"]

    def resample(self, seat: int, rng: Rng) -> WuhuaguoState:
        """The cards that the seat cannot see are dealt anew, as far as the play tells nothing.

        With `must_beat` a pass tells something; then worlds are tried until one fits.
        """
        if self.result is not None or not self._log:
            return self.clone()
        for _ in range(_WORLDS):
            world = self._with(other_hands(self, seat, rng))
            if not self.game.must_beat or world.could_be():
                return world
        return self.clone()

    def _with(self, hands: Sequence[int]) -> WuhuaguoState:
        """The same hand with other cards in the hands."""
        world, cards = self.clone(), self._cards()
        moved = zip(cards.dealt, self.hands, hands, strict=True)
        dealt = tuple([had - held + new for had, held, new in moved])
        world._put(cards._replace(dealt=dealt, hands=tuple(hands)))
        return world

    def could_be(self) -> bool:
        """Whether the log is legal with these cards."""
        again = type(self)(self.game, self.wealth, self.carry)
        (_, deal), *played = self._log
        assert isinstance(deal, tuple)
        again.deal_unchecked(deal)
        try:
            for seat, action in played:
                again.apply(seat, action)
        except IllegalAction:
            return False
        return True

    # ---- result ----------------------------------------------------------------------------

    def reason(self) -> str | None:
        """out, wuhuaguo or escape; None while the hand runs."""
        if self.result is None or self.winner is None:
            return None
        if self.result == "escaped":
            return "escape"
        return "wuhuaguo" if self.hands[self.winner] else "out"

    def winning_seat(self) -> int | None:
        return self.winner if self.result == "finished" else None

    def _settled(self) -> Settlement:
        rates, reason = self.game.rates, self.reason()
        assert self.winner is not None
        if reason == "escape":
            return rates.escaped(self.winner, SEATS, self.wealth)
        if reason == "wuhuaguo":
            return rates.declared(self.winner, SEATS, self.wealth)
        left = [hand.bit_count() for hand in self.hands]
        return rates.out(self.winner, left, [plays > 0 for plays in self.plays], self.wealth)

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        winner = self.winning_seat()
        dealer = self.first if winner is None else winner
        booked = self._settled()
        return Outcome(
            result=self.result,
            deltas=booked.deltas,
            fees=booked.fees,
            pot_change=0,
            carry={"first": dealer},
            next_first=dealer,
        )
