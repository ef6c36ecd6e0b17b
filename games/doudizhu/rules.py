"""Classic Dou Dizhu (斗地主, 叫分): one deck, three seats, one landlord against two farmers.

Source: the rule set's specification, docs/games/doudizhu.md. Actions inside are integers:
0 pass, 1..3 calls, 4 escape, and plays as `cards << 8 | 16 + kind` (kind 0: default reading).
A deal is a tuple (first bidder, three hands, bottom) of card sets.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from games.doudizhu import moves, settle
from games.doudizhu.bot import DoudizhuBot
from games.doudizhu.combos import KINDS, Reading, reading_on
from games.doudizhu.messages import message
from paiju.rules.api import (
    CHANCE,
    Bot,
    Deadline,
    Event,
    GameId,
    IllegalAction,
    Info,
    Outcome,
    Parameter,
    Rng,
)
from paiju.rules.cards import (
    DECK,
    RANK_NAMES,
    cards_of,
    format_cards,
    mask_of,
    names_of,
    parse_cards,
)

VERSION = 1
SEATS = 3
HAND = 17
PASS, ESCAPE = 0, 4
CALLS = (1, 2, 3)
_PLAY = 16
_FULL_DECK = (1 << DECK) - 1

Deal = tuple[int, tuple[int, int, int], int]
Move = int | Deal

PARAMETERS: Mapping[str, Parameter] = {
    "N": Parameter(1, 1, 1_000_000, "room coefficient: what one point is worth"),
    "A": Parameter(0, 0, 1_000_000, "fee that the house takes from every seat and hand"),
}


def play(cards: int, kind: str | None = None) -> int:
    """The action that plays a set of cards, as its default reading or as `kind`."""
    return cards << 8 | _PLAY + (0 if kind is None else KINDS.index(kind) + 1)


def cards_played(action: int) -> int:
    return action >> 8


def kind_asked(action: int) -> str | None:
    number = (action & 0xFF) - _PLAY
    return KINDS[number - 1] if number else None


def leads(hand: int) -> list[Move]:
    """Every lead of a hand, and its other readings."""
    out: list[Move] = []
    for counts in moves.leads(moves.counts_of(hand)):
        cards = moves.pick(hand, counts)
        out.append(play(cards))
        out += [play(cards, kind) for kind in moves.other_kinds(counts)]
    return out


def follows(hand: int, table: Reading) -> list[Move]:
    """Pass, and every play of a hand that beats the table."""
    plays = moves.follows(moves.counts_of(hand), table)
    return [PASS, *(play(moves.pick(hand, counts)) for counts in plays)]


class Doudizhu:
    """The game with its parameters; immutable."""

    info = Info(
        min_seats=SEATS,
        max_seats=SEATS,
        deterministic=False,
        perfect_information=False,
        simultaneous=False,
        zero_sum=True,
        enumerable=True,
        max_actions=1 + 3 + 3 * 60,
    )
    title: Mapping[str, str] = {"zh": "斗地主", "en": "Dou Dizhu"}
    parameters = PARAMETERS

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given = dict(parameters or {})
        values: dict[str, int] = {}
        for name, parameter in PARAMETERS.items():
            value = given.pop(name, parameter.default)
            low, high = parameter.minimum or 0, parameter.maximum or 0
            if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
                raise ValueError(f"doudizhu: {name} is {value!r}, allowed are {low} to {high}")
            values[name] = value
        if given:
            raise ValueError(f"doudizhu: unknown parameters {', '.join(sorted(given))}")
        self.coefficient = values["N"]
        self.fee = values["A"]
        encoded = msgspec.json.encode(values, order="deterministic").decode()
        self.id = GameId("doudizhu", VERSION, encoded)

    def new_state(
        self,
        seats: int = SEATS,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> DoudizhuState:
        """carry: {"first": seat} from the outcome of the hand before."""
        if seats != SEATS:
            raise ValueError(f"doudizhu has {SEATS} seats, not {seats}")
        if wealth is not None and (len(wealth) != SEATS or min(wealth) < 0):
            raise ValueError("wealth is one amount >= 0 per seat")
        return DoudizhuState(self, None if wealth is None else tuple(wealth), dict(carry or {}))

    def load(self, blob: bytes) -> DoudizhuState:
        saved = msgspec.json.decode(blob)
        if saved["id"] != list(self.id):
            raise ValueError(f"a state of {saved['id']}, not of {list(self.id)}")
        state = self.new_state(wealth=saved["wealth"], carry=saved["carry"])
        for seat, text in saved["log"]:
            state.apply(seat, self.parse(state, seat, text))
        return state

    def parse(self, state: DoudizhuState, seat: int, text: str) -> Move:
        words = text.split(" ")
        verb, rest = words[0], words[1:]
        if verb in ("pass", "escape") and not rest:
            return PASS if verb == "pass" else ESCAPE
        if verb == "call" and len(rest) == 1 and rest[0] in ("1", "2", "3"):
            return int(rest[0])
        try:
            if verb == "play" and rest:
                kind = None
                if len(rest) > 2 and rest[-2] == "as":
                    kind, rest = rest[-1], rest[:-2]
                    if kind not in KINDS:
                        raise ValueError(f"{kind!r} is no combination")
                return play(mask_of(parse_cards(" ".join(rest))), kind)
            if verb == "deal" and seat == CHANCE:
                first, *hands = " ".join(rest).split(" / ")
                one, two, three, bottom = (mask_of(parse_cards(cards)) for cards in hands)
                return (int(first), (one, two, three), bottom)
        except ValueError as error:
            raise IllegalAction("syntax", detail=str(error)) from None
        raise IllegalAction("syntax", detail=text[:40])

    def format(self, action: Move) -> str:
        if isinstance(action, tuple):
            first, hands, bottom = action
            parts = [str(first), *(format_cards(cards_of(mask)) for mask in (*hands, bottom))]
            return "deal " + " / ".join(parts)
        if action in CALLS:
            return f"call {action}"
        if action in (PASS, ESCAPE):
            return "pass" if action == PASS else "escape"
        kind = kind_asked(action)
        text = "play " + format_cards(cards_of(cards_played(action)))
        return text if kind is None else f"{text} as {kind}"

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return message(code, params, locale)

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Move]:
        """The legal actions of the seat whose view this is, worked out without a state."""
        if not view.get("legal"):
            return ()
        if view["phase"] == "bid":
            return (PASS, *range(view["base"] + 1, 4))
        hand = mask_of(parse_cards(" ".join(view["hand"])))
        table = view["table"]
        if table is None:
            return leads(hand)
        rank = RANK_NAMES.index(table["rank"])
        return follows(hand, Reading(table["kind"], rank, table["length"]))

    def bot(self) -> Bot:
        return DoudizhuBot(self)


class DoudizhuState:
    """One hand. Phases: deal, bid, play, end."""

    __slots__ = (
        "_log",
        "base",
        "bids",
        "bombs",
        "bottom",
        "carry",
        "counts",
        "first",
        "game",
        "hands",
        "landlord",
        "last",
        "passes",
        "played",
        "plays",
        "result",
        "shown",
        "stage",
        "table",
        "turn",
        "wealth",
        "winner",
    )

    def __init__(
        self, game: Doudizhu, wealth: tuple[int, ...] | None, carry: dict[str, Any]
    ) -> None:
        self.game = game
        self.wealth = wealth
        self.carry = carry
        self.stage = "deal"
        self.first = 0
        self.turn = CHANCE
        self.hands = [0, 0, 0]
        self.counts = [0, 0, 0]  # packed rank counts of the hands
        self.bottom = 0
        self.bids: list[int | None] = [None, None, None]
        self.landlord: int | None = None
        self.base = 0  # highest call so far
        self.table: Reading | None = None
        self.last = 0  # who laid the table
        self.passes = 0
        self.bombs = 0
        self.plays = [0, 0, 0]
        self.played = 0  # all cards played so far
        self.shown: list[int | None] = [None, None, None]  # last action of the round: cards, 0 pass
        self.winner: int | None = None
        self.result: str | None = None
        self._log: list[tuple[int, Move]] = []

    # ---- whose turn ------------------------------------------------------------------------

    def to_act(self) -> tuple[int, ...]:
        return () if self.result is not None else (self.turn,)

    def phase(self) -> str:
        return self.stage

    def deadlines(self) -> tuple[Deadline, ...]:
        if self.stage in ("bid", "play"):
            return (Deadline(self.turn, self.stage),)
        return ()

    def is_terminal(self) -> bool:
        return self.result is not None

    # ---- actions ---------------------------------------------------------------------------

    def is_legal(self, seat: int, action: Move) -> bool:
        try:
            self._check(seat, action)
        except IllegalAction:
            return False
        return True

    def _check(self, seat: int, action: Move) -> Reading | None:
        """The reading of a legal play, None for other legal actions; IllegalAction."""
        if self.result is not None:
            raise IllegalAction("hand_over")
        if isinstance(action, tuple):
            self._check_deal(seat, action)
            return None
        if action == ESCAPE:
            if self.stage == "deal" or not 0 <= seat < SEATS:
                raise IllegalAction("wrong_phase")
            return None
        if seat != self.turn or seat == CHANCE:
            raise IllegalAction("not_your_turn")
        if self.stage == "bid":
            if action >= _PLAY:
                raise IllegalAction("wrong_phase")
            if action != PASS and action <= self.base:
                raise IllegalAction("bid_too_low", highest=self.base)
            return None
        if action in CALLS:
            raise IllegalAction("wrong_phase")
        if action == PASS:
            if self.table is None:
                raise IllegalAction("must_lead")
            return None
        return self._check_play(seat, action)

    def _check_deal(self, seat: int, deal: Deal) -> None:
        first, hands, bottom = deal
        if seat != CHANCE or self.stage != "deal":
            raise IllegalAction("wrong_phase")
        sizes = [mask.bit_count() for mask in (*hands, bottom)]
        whole = hands[0] | hands[1] | hands[2] | bottom
        if sizes != [HAND, HAND, HAND, DECK - 3 * HAND] or whole != _FULL_DECK:
            raise IllegalAction("bad_deal")
        if first != self.carry.get("first", first) or not 0 <= first < SEATS:
            raise IllegalAction("bad_deal")

    def _check_play(self, seat: int, action: int) -> Reading:
        cards, kind = cards_played(action), kind_asked(action)
        missing = cards & ~self.hands[seat]
        if missing:
            raise IllegalAction("not_in_hand", cards=format_cards(cards_of(missing)))
        counts = moves.counts_of(cards)
        reading = reading_on(counts, self.table, kind)
        if reading is None:
            if reading_on(counts, None, kind) is None:
                raise IllegalAction("no_such_play")
            assert self.table is not None
            raise IllegalAction("does_not_beat", **self.table.shown())
        return reading

    def legal_actions(self, seat: int) -> Sequence[Move]:
        """Plays are listed once per multiset of ranks, with the lowest suits of the hand."""
        if self.result is not None or seat != self.turn or seat == CHANCE:
            return ()
        if self.stage == "bid":
            return (PASS, *range(self.base + 1, 4))
        hand = self.hands[seat]
        return leads(hand) if self.table is None else follows(hand, self.table)

    def default_action(self, seat: int) -> Move:
        """Bidding and following: pass. Leading: the lowest card as a single."""
        if self.stage == "play" and self.table is None:
            hand = self.hands[seat]
            return play(hand & -hand)
        return PASS

    def apply(self, seat: int, action: Move) -> list[Event]:
        reading = self._check(seat, action)
        self._log.append((seat, action))
        if isinstance(action, tuple):
            return self._deal(action)
        if action == ESCAPE:
            return self._escape(seat)
        if self.stage == "bid":
            return self._bid(seat, action)
        if reading is None:
            return self._pass(seat)
        return self._play(seat, cards_played(action), reading)

    def abandon(self, seat: int, reason: str) -> list[Event]:
        """Leaving before the end is an escape, whatever the reason."""
        return self.apply(seat, ESCAPE)

    def deal_unchecked(self, deal: Deal) -> list[Event]:
        """Begin with any cards in the hands: for golden cases and studies."""
        self._log.append((CHANCE, deal))
        return self._deal(deal)

    def _deal(self, deal: Deal) -> list[Event]:
        self.first, hands, self.bottom = deal
        self.hands = list(hands)
        self.counts = [moves.counts_of(mask) for mask in hands]
        self.stage, self.turn = "bid", self.first
        return [
            Event("deal", {"first": self.first, "hand": names_of(mask)}, (seat,), None)
            for seat, mask in enumerate(hands)
        ]

    def _bid(self, seat: int, call: int) -> list[Event]:
        self.bids[seat] = call
        events = [Event("call", {"seat": seat, "call": call})]
        if call > self.base:
            self.base, self.landlord = call, seat
        done = all(bid is not None for bid in self.bids)
        if call != 3 and not done:
            self.turn = (seat + 1) % SEATS
            return events
        if self.landlord is None:
            self.stage, self.result = "end", "redeal"
            return [*events, Event("redeal", {})]
        landlord = self.turn = self.landlord
        self.hands[landlord] |= self.bottom
        self.counts[landlord] = moves.counts_of(self.hands[landlord])
        self.stage = "play"
        shown = {"seat": landlord, "base": self.base, "bottom": names_of(self.bottom)}
        return [*events, Event("landlord", shown)]

    def _pass(self, seat: int) -> list[Event]:
        self.passes += 1
        self.shown[seat] = 0
        self.turn = (seat + 1) % SEATS
        if self.passes == SEATS - 1:
            self.table, self.passes = None, 0
        return [Event("pass", {"seat": seat})]

    def _play(self, seat: int, cards: int, reading: Reading) -> list[Event]:
        if self.table is None:
            self.shown = [None, None, None]
        self.hands[seat] &= ~cards
        self.counts[seat] -= moves.counts_of(cards)
        self.played |= cards
        self.plays[seat] += 1
        self.bombs += reading.kind in ("bomb", "rocket")
        self.table, self.last, self.passes = reading, seat, 0
        self.shown[seat] = cards
        self.turn = (seat + 1) % SEATS
        left = self.hands[seat].bit_count()
        shown = {"seat": seat, "cards": names_of(cards), "left": left, **reading.shown()}
        events = [Event("play", shown)]
        if left == 0:
            self.stage, self.result, self.winner = "end", "finished", seat
            events.append(Event("end", {"hands": [names_of(hand) for hand in self.hands]}))
        return events

    def _escape(self, seat: int) -> list[Event]:
        self.stage, self.result, self.winner = "end", "escaped", seat
        return [Event("escape", {"seat": seat})]

    # ---- chance ----------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        deck = rng.permutation(DECK)
        first = self.carry.get("first")
        if first is None:
            first = rng.below(SEATS)
        one, two, three = (mask_of(deck[i * HAND : (i + 1) * HAND]) for i in range(SEATS))
        return (first, (one, two, three), mask_of(deck[SEATS * HAND :]))

    # ---- what may be seen ------------------------------------------------------------------

    def view(self, seat: int) -> dict[str, Any]:
        if self.stage == "deal":
            return {"phase": "deal", "to_act": []}
        table = self.table
        view: dict[str, Any] = {
            "phase": self.stage,
            "to_act": list(self.to_act()),
            "counts": [hand.bit_count() for hand in self.hands],
            "first": self.first,
            "bids": list(self.bids),
            "base": self.base,
            "landlord": self.landlord if self.stage != "bid" else None,
            "bottom": names_of(self.bottom) if self._bottom_is_open() else None,
            "table": None if table is None else {"seat": self.last, **table.shown()},
            "shown": [None if cards is None else names_of(cards) for cards in self.shown],
            "played": _rank_digits(moves.counts_of(self.played)),
            "multiplier": self.multiplier(),
        }
        if 0 <= seat < SEATS:
            view["hand"] = names_of(self.hands[seat])
            view["legal"] = self._verbs(seat)
        if self.result is not None:
            outcome = self.outcome()
            view["result"] = {
                "result": outcome.result,
                "deltas": list(outcome.deltas),
                "fees": list(outcome.fees),
            }
            view["hands"] = [names_of(hand) for hand in self.hands]
        return view

    def _bottom_is_open(self) -> bool:
        return self.stage == "play" or (self.result is not None and self.landlord is not None)

    def _verbs(self, seat: int) -> list[str]:
        """What the seat's buttons may do now; which cards may be played the hint tells."""
        if seat != self.turn or self.result is not None:
            return []
        if self.stage == "bid":
            return ["pass", *(f"call {n}" for n in range(self.base + 1, 4))]
        if self.table is None:
            return ["play"]
        return ["pass", "play"] if len(self.legal_actions(seat)) > 1 else ["pass"]

    def resample(self, seat: int, rng: Rng) -> DoudizhuState:
        """The cards that the seat cannot see are dealt anew among the places it cannot see."""
        if not self._log:
            return self.clone()
        deal = self._log[0][1]
        assert isinstance(deal, tuple)
        first, dealt, bottom = deal
        open_bottom = bottom if self._bottom_is_open() else 0
        places = [s for s in range(SEATS) if s != seat and self.result is None]
        fixed, free = list(dealt), bottom
        pool: list[int] = []
        for s in places:
            unknown = self.hands[s] & ~open_bottom
            fixed[s] = dealt[s] & ~unknown
            pool += cards_of(unknown)
        sizes = [(s, HAND - fixed[s].bit_count()) for s in places]
        if not open_bottom and self.result is None:
            pool += cards_of(bottom)
            free = 0
        order = rng.permutation(len(pool))
        mixed = [pool[i] for i in order]
        for s, size in sizes:
            fixed[s] |= mask_of(mixed[:size])
            mixed = mixed[size:]
        free |= mask_of(mixed)
        world = self.game.new_state(wealth=self.wealth, carry=self.carry)
        world.apply(CHANCE, (first, (fixed[0], fixed[1], fixed[2]), free))
        for actor, action in self._log[1:]:
            world.apply(actor, action)
        return world

    def hint(self, seat: int) -> Move:
        """The bot's move, from what the seat sees."""
        action: Move = self.game.bot().act(self.view(seat), self.legal_actions(seat), 20)
        return action

    # ---- result ----------------------------------------------------------------------------

    def spring(self) -> bool:
        """Spring or anti-spring: the losing side never got to play."""
        if self.result != "finished" or self.landlord is None:
            return False
        if self.winner == self.landlord:
            return all(n == 0 for s, n in enumerate(self.plays) if s != self.landlord)
        return self.plays[self.landlord] == 1

    def multiplier(self) -> int:
        return (1 << self.bombs) * (2 if self.spring() else 1)

    def outcome(self) -> Outcome:
        if self.result is None:
            raise ValueError("the hand is not over")
        following = (self.first + 1) % SEATS
        zero = settle.Settlement((0,) * SEATS, (0,) * SEATS)
        if self.result == "finished":
            assert self.landlord is not None and self.winner is not None
            booked = settle.landlord_game(
                landlord=self.landlord,
                landlord_won=self.winner == self.landlord,
                unit=self.base * self.multiplier() * self.game.coefficient,
                fee=self.game.fee,
                wealth=self.wealth,
            )
        elif self.result == "escaped":
            assert self.winner is not None
            booked = settle.escape(
                seat=self.winner,
                penalty=3 * max(self.base, 1) * 2**self.bombs * self.game.coefficient,
                wealth=self.wealth,
                seats=SEATS,
            )
        else:
            booked = zero
        return Outcome(
            result=self.result,
            deltas=booked.deltas,
            fees=booked.fees,
            pot_change=0,
            carry={"first": following},
            next_first=following,
        )

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, Move]]:
        return self._log

    def dump(self) -> bytes:
        """The log: replaying it gives the state."""
        return msgspec.json.encode(
            {
                "id": list(self.game.id),
                "wealth": self.wealth,
                "carry": self.carry,
                "log": [(seat, self.game.format(action)) for seat, action in self._log],
            }
        )

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> DoudizhuState:
        other = DoudizhuState.__new__(DoudizhuState)
        for name in DoudizhuState.__slots__:
            value = getattr(self, name)
            setattr(other, name, list(value) if isinstance(value, list) else value)
        return other


def _rank_digits(counts: int) -> str:
    """Cards of each rank as 15 digits, 3 first."""
    return "".join(str(counts >> 4 * rank & 15) for rank in range(15))
