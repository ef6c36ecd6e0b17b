"""The hand of Aiqipai Niuniu: bid, bet unseen, arrange, show; the banker last."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from games.niuniu.aiqipai_views import public_view, redrawn
from games.niuniu.bulls import FIVE_FLOWERS, FOUR_FLOWERS, Bulls, best_split, kind_of, splits
from games.niuniu.game import ARRANGE, BET, HINT, BullState, arrange
from games.niuniu.stakes import booked, transfers
from paiju.rules.api import CHANCE, Event, IllegalAction, Outcome, Rng
from paiju.rules.cards import names_of
from paiju.rules.showdown import Action

if TYPE_CHECKING:
    from games.niuniu.aiqipai import AiqipaiNiuniu

PASS, BID, DECLARE = 0, 1, 3
"""Plain verbs, with HINT = 2."""
TRIES = 10
"""So often a seat may arrange: as many splits as a hand can have. It keeps a hand finite."""

BULLS = Bulls(FOUR_FLOWERS, FIVE_FLOWERS)


class AiqipaiState(BullState):
    """One hand. Phases: first, bid, bet, deal, arrange, end.

    first: the seat with priority. turn: who bids. bids: 1 for the bank, 0 passed. choices:
    bets, the banker's is 0. laid: the first group, 0: not arranged. tries: arrangements made.
    shown: who has declared.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        *BullState._SAVED,
        "turn",
        "bids",
        "banker",
        "chips",
        "laid",
        "tries",
        "shown",
        "dealt",
    )
    __slots__ = ("banker", "bids", "chips", "dealt", "laid", "shown", "tries", "turn")

    game: AiqipaiNiuniu
    carried = "priority"
    bids: list[int | None]
    chips: list[list[int] | None]

    def __init__(
        self,
        game: AiqipaiNiuniu,
        seats: int,
        wealth: tuple[int, ...] | None,
        carry: Mapping[str, Any],
    ) -> None:
        super().__init__(game, seats, wealth, carry)
        self.turn = -1
        self.bids = [None] * seats
        self.banker = -1
        self.chips = [None] * seats
        self.laid = [0] * seats
        self.tries = [0] * seats
        self.shown = [False] * seats
        self.dealt = False

    # ---- whose turn ------------------------------------------------------------------------

    def players(self) -> list[int]:
        """The present seats without the banker."""
        return [seat for seat in self.present() if seat != self.banker]

    def _turns(self) -> tuple[int, ...]:
        if self.stage == "bid":
            return (self.turn,)
        if self.stage == "bet":
            return self.choosing()
        if self.stage != "arrange":
            return (CHANCE,)
        hidden = tuple([seat for seat in self.players() if not self.shown[seat]])
        return hidden or (self.banker,)

    # ---- legality --------------------------------------------------------------------------

    def _check_act(self, seat: int, action: int) -> None:
        code = action & 0xFF
        if self.stage == "bid" and action in (PASS, BID):
            if seat != self.turn:
                raise IllegalAction("not_your_turn")
        elif self.stage == "bet" and code == BET:
            self._check_bet(seat, action >> 8)
        elif self.stage == "arrange" and (action in (HINT, DECLARE) or code == ARRANGE):
            self._check_show(seat, action)
        else:
            raise IllegalAction("wrong_phase")

    def _check_bet(self, seat: int, amount: int) -> None:
        offered = self.chips[seat]
        if offered is None:
            raise IllegalAction("banker_does_not_bet")
        if self.choices[seat] is not None:
            raise IllegalAction("already_chosen")
        if amount not in offered:
            raise IllegalAction("not_offered", chips=", ".join(map(str, offered)))

    def _check_show(self, seat: int, action: int) -> None:
        if self.shown[seat]:
            raise IllegalAction("already_shown")
        if action == DECLARE:
            if seat == self.banker and self._turns() != (seat,):
                raise IllegalAction("banker_shows_last")
        elif self.tries[seat] >= TRIES:
            raise IllegalAction("arranged_enough")
        elif action != HINT:
            self._check_three(seat, action >> 8)

    def _actions(self, seat: int) -> Sequence[int]:
        """What is worth a thought: who has arranged need not do it again."""
        if self.stage == "bid":
            return (BID, PASS)
        if self.stage == "bet":
            return [chip << 8 | BET for chip in self.chips[seat] or ()]
        found = splits(self.hands[seat])
        if self.laid[seat] or not found or self.tries[seat] >= TRIES:
            return (DECLARE,)
        return [*(arrange(three) for three in found), HINT, DECLARE]

    def default_action(self, seat: int) -> int:
        """Pass; the smallest chip; show the hand as it lies."""
        if self.stage == "bid":
            return PASS
        if self.stage == "bet":
            return min(self.chips[seat] or [0]) << 8 | BET
        return DECLARE

    # ---- the course of a hand --------------------------------------------------------------

    def _named(self, seat: int) -> list[Event]:
        if self.wealth is not None and min(self.wealth) < self.game.entry:
            return self._ends("cancelled")
        self.stage, self.turn = "bid", seat
        return [Event("priority", {"seat": seat})]

    def _act(self, seat: int, action: int) -> list[Event]:
        if self.stage == "bid":
            return self._bid(seat, action)
        if self.stage == "bet":
            self.choices[seat] = action >> 8
            bet = Event("bet", {"seat": seat, "bet": action >> 8}, (seat,), {"seat": seat})
            return [bet, *self._bets_in()]
        if action != DECLARE:
            self.tries[seat] += 1
            if action != HINT:
                self.laid[seat] = action >> 8
            elif not self.laid[seat]:
                self.laid[seat] = best_split(self.hands[seat])
            group = names_of(self.laid[seat])
            return [Event("arrange", {"seat": seat, "group": group}, (seat,), None)]
        self.shown[seat] = True
        events = [Event("declare", {"seat": seat, **self._laid_open(seat)})]
        return [*events, *self._ends("finished")] if seat == self.banker else events

    def _bid(self, seat: int, action: int) -> list[Event]:
        events = [Event("bid" if action == BID else "pass", {"seat": seat})]
        self.bids[seat] = action
        self.turn = (seat + 1) % self.seats
        if action == PASS and self.turn != self.first:
            return events
        # All have passed: the turn is back at the seat with priority.
        self.banker = seat if action == BID else self.first
        self.chips = [None if c is None else list(c) for c in self.game.chips(self)]
        self.choices[self.banker] = 0
        self.stage = "bet"
        events.append(Event("banker", {"seat": self.banker}))
        if [] in self.chips:
            events += self._ends("cancelled")
        return events

    def _bets_in(self) -> list[Event]:
        """When the last bet is in they are shown, and the cards come."""
        if self.choosing():
            return []
        self.stage = "deal"
        return [Event("bets", {"bets": self.bets()})]

    def gets_cards(self, seat: int) -> bool:
        return not self.gone[seat]

    def _dealt(self) -> list[Event]:
        self.stage, self.dealt = "arrange", True
        return []

    def _left(self, seat: int) -> list[Event]:
        if self.stage == "bid" or seat == self.banker or not self.players():
            return self._ends("finished")
        return self._bets_in() if self.stage == "bet" else []

    def _ends(self, result: str) -> list[Event]:
        self.stage = "end"
        self.result = "escaped" if any(self.gone) else result
        if not self.dealt:
            return [Event("end", {"bets": self.bets()})]
        return [Event("showdown", {"hands": [names_of(hand) for hand in self.hands]})]

    # ---- what may be seen ------------------------------------------------------------------

    def _laid_open(self, seat: int) -> dict[str, Any]:
        return {
            "hand": names_of(self.hands[seat]),
            "group": names_of(self.laid[seat]),
            "kind": BULLS.names[kind_of(self._counted(seat))],
        }

    def bets(self) -> list[int]:
        """All bets, 0 where there is none."""
        return [choice or 0 for choice in self.choices]

    def _public_view(self) -> dict[str, Any]:
        return public_view(self)

    def _private_view(self, seat: int) -> dict[str, Any]:
        return {
            "bet": self.choices[seat],
            "hand": names_of(self.hands[seat]),
            "group": names_of(self.laid[seat]),
            "legal": [self.game.format(action) for action in self.legal_actions(seat)],
        }

    def _redrawn(self, seat: int, rng: Rng) -> Sequence[tuple[int, Action]]:
        return redrawn(self, seat, rng)

    # ---- result ----------------------------------------------------------------------------

    def _counted(self, seat: int) -> int:
        """The strength as shown: what is not arranged is no bull."""
        hand = self.hands[seat]
        return BULLS.strength(hand) if self.laid[seat] else BULLS.given_up(hand)

    def kinds(self) -> list[str | None] | None:
        """As counted; None for who left before the deal, and when there was none.

        A hand that decides what a leaver pays counts as well as possible.
        """
        if not self.dealt:
            return None
        out: list[str | None] = []
        for seat, hand in enumerate(self.hands):
            if not hand:
                out.append(None)
                continue
            best = self.gone[seat] or self.gone[self.banker]
            strength = BULLS.strength(hand) if best else self._counted(seat)
            out.append(BULLS.names[kind_of(strength)])
        return out

    def _transfers(self) -> list[int]:
        if self.banker < 0 or self.result == "cancelled":
            return [0] * self.seats
        counted = best = None
        if self.dealt:
            counted = [self._counted(s) if h else 0 for s, h in enumerate(self.hands)]
            best = [BULLS.strength(hand) if hand else 0 for hand in self.hands]
        return transfers(
            self.banker,
            self.bets(),
            counted=counted,
            best=best,
            gone=self.gone,
            gone_before=[not hand for hand in self.hands],
            multipliers=self.game.multipliers,
            wealth=self.wealth,
        )

    def next_priority(self, moved: Sequence[int]) -> int:
        """The greatest winner of those present, else who has it now, else the next present."""
        order = [(self.first + step) % self.seats for step in range(self.seats)]
        here = [seat for seat in order if not self.gone[seat]]
        winners = [seat for seat in here if moved[seat] > 0]
        if not winners:
            return here[0] if here else self.first

        def rank(seat: int) -> tuple[int, int]:
            return moved[seat], self._counted(seat) if self.dealt else 0

        return max(winners, key=rank)  # of equals the first one, counted from the priority

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        moved = self._transfers()
        paid = booked(moved, dealt=self.dealt, fee=self.game.values["A"], wealth=self.wealth)
        following = self.next_priority(moved)
        return Outcome(
            result=self.result,
            deltas=paid.deltas,
            fees=paid.fees,
            pot_change=0,
            carry={"priority": following},
            next_first=following,
        )
