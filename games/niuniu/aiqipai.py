"""Aiqipai Niuniu (爱棋牌牛牛): bid for the bank, bet chips, then cards; the banker shows last.

Bets are made at the same time and stay hidden until all are in. A hand that nobody arranges
counts as no bull. Source: docs/games/niuniu.md.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from games.niuniu.bot import BullBot
from games.niuniu.bulls import FIVE_FLOWERS, FOUR_FLOWERS, Bulls, best_split, kind_of, splits
from games.niuniu.game import ARRANGE, DEAL, BullGame, BullState, arrange
from games.niuniu.stakes import booked, chips, transfers
from paiju.rules.api import (
    CHANCE,
    Bot,
    Deadline,
    Event,
    IllegalAction,
    Info,
    Outcome,
    Parameter,
    Rng,
)
from paiju.rules.cards import names_of
from paiju.rules.showdown import Action, numbers

PASS, BID, HINT, DECLARE = range(4)
BET = ARRANGE + 1
"""`amount << 8 | BET`."""

TRIES = 10
"""So often a seat may arrange: as many splits as a hand can have. It keeps a hand finite."""

BULLS = Bulls(FOUR_FLOWERS, FIVE_FLOWERS)


class AiqipaiState(BullState):
    """One hand. Phases: first, bid, bet, deal, arrange, end.

    first: the seat with priority. turn: who bids. choices: bets, the banker's is 0. laid: the
    first group, 0: not arranged. tries: arrangements made. shown: who has declared.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        *BullState._SAVED,
        "turn",
        "banker",
        "chips",
        "laid",
        "tries",
        "shown",
        "dealt",
    )
    __slots__ = ("banker", "chips", "dealt", "laid", "shown", "tries", "turn")

    game: AiqipaiNiuniu
    carried = "priority"
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

    def deadlines(self) -> tuple[Deadline, ...]:
        return tuple([Deadline(seat, self.stage) for seat in self.to_act() if seat != CHANCE])

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

    def _dealt(self) -> None:
        self.stage, self.dealt = "arrange", True

    def _left(self, seat: int) -> list[Event]:
        if self.stage == "bid" or seat == self.banker or not self.players():
            return self._ends("finished")
        return self._bets_in() if self.stage == "bet" else []

    def _ends(self, result: str) -> list[Event]:
        self.stage = "end"
        self.result = "escaped" if any(self.gone) else result
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
        over = self.result is not None
        open_hands = [over or shown for shown in self.shown]
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": [seat for seat in self.to_act() if seat != CHANCE],
            "priority": None if self.first < 0 else self.first,
            "banker": None if self.banker < 0 else self.banker,
            "gone": list(self.gone),
            "chips": self.chips,
            "chosen": self.chosen(),
            "bets": self.bets() if over or self.stage in ("deal", "arrange") else None,
            "shown": list(self.shown),
            "hands": [
                names_of(h) if o else None for h, o in zip(self.hands, open_hands, strict=True)
            ],
            "groups": [
                names_of(g) if o else None for g, o in zip(self.laid, open_hands, strict=True)
            ],
        }
        if over:
            outcome = self.outcome()
            view["kinds"] = self.kinds()
            view["result"] = {
                "result": outcome.result,
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
        return view

    def _private_view(self, seat: int) -> dict[str, Any]:
        return {
            "bet": self.choices[seat],
            "hand": names_of(self.hands[seat]),
            "group": names_of(self.laid[seat]),
            "legal": [self.game.format(action) for action in self.legal_actions(seat)],
        }

    def _redrawn(self, seat: int, rng: Rng) -> Sequence[tuple[int, Action]]:
        """Bets that are not open are any chip; hands that are not shown are dealt anew."""
        hidden_bets = self.stage == "bet"
        known = [s == seat or self.shown[s] for s in range(self.seats)]
        hands = self._redealt(known, rng) if self.dealt else ()
        log: list[tuple[int, Action]] = []
        for who, action in self._log:
            if isinstance(action, tuple):
                action = (DEAL, hands) if action[0] == DEAL else action
            elif who != seat:
                code = action & 0xFF
                if code == BET and hidden_bets:
                    offered = self.chips[who] or []
                    action = offered[rng.below(len(offered))] << 8 | BET
                elif code == ARRANGE and not known[who]:
                    cards = best_split(hands[who])
                    action = arrange(cards) if cards else HINT
            log.append((who, action))
        return log

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


class AiqipaiNiuniu(BullGame[AiqipaiState]):
    """The game with its parameters; immutable.

    entry: what a seat must have when a hand begins, and what it is taken to have in score
    play, where the chips could not be worked out otherwise.
    """

    name = "aiqipai_niuniu"
    version = 1
    title: ClassVar[Mapping[str, str]] = {"zh": "爱棋牌牛牛", "en": "Aiqipai Niuniu"}
    parameters: ClassVar[Mapping[str, Parameter]] = {
        "seats": Parameter(4, 2, 6, "seats of a table"),
        "max_multiplier": Parameter(5, 1, 1_000, "greatest multiplier: divides the limits"),
        "chip_divisors": Parameter("1/2/4/8", 1, 1_000, "parts of the limit that are offered"),
        "unit": Parameter(1, 1, 1_000_000, "unit of the entry minimum"),
        "entry_min_units": Parameter(50, 0, 1_000_000, "units needed when a hand begins"),
        "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
        "multipliers": Parameter(
            "1/1/1/1/1/1/1/2/3/4/5/5/5",
            0,
            1_000,
            "by the winner's kind: no_bull / bull_1 .. bull_9 / bull_bull / four_flowers"
            " / five_flowers",
        ),
    }
    bulls = BULLS
    first_word = "priority"
    verbs: ClassVar[Mapping[str, int]] = {
        "pass": PASS,
        "bid_banker": BID,
        "hint": HINT,
        "declare": DECLARE,
    }
    state_class = AiqipaiState

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        super().__init__(parameters)
        self.multipliers = numbers(self.values["multipliers"])
        self.divisors = numbers(self.values["chip_divisors"])
        self.entry: int = self.values["unit"] * self.values["entry_min_units"]

    def _info(self) -> Info:
        seats = self.values["seats"]
        return Info(
            min_seats=seats,
            max_seats=seats,
            deterministic=False,
            perfect_information=False,
            simultaneous=True,
            zero_sum=True,
            enumerable=False,  # arranging once more is legal, but no use
            # two steps of chance; each seat bids, bets, arranges, shows and may leave
            max_actions=2 + seats * (TRIES + 4),
        )

    def chips(self, state: AiqipaiState) -> list[tuple[int, ...] | None]:
        """What each seat may bet."""
        return chips(
            state.banker,
            state.wealth or [self.entry] * state.seats,
            most=self.values["max_multiplier"],
            divisors=self.divisors,
        )

    def bot(self) -> Bot:
        return BullBot()

    def _parsed(self, verb: str, rest: str) -> int | None:
        return int(rest) << 8 | BET if verb == "bet" else super()._parsed(verb, rest)

    def _formatted(self, action: Action) -> str:
        if isinstance(action, int) and action & 0xFF == BET:
            return f"bet {action >> 8}"
        return super()._formatted(action)
