"""The hand of a climbing game: what is the same whatever comes before the first lead.

A rule set adds its phases between the deal and the play, and its settlement. Actions are
integers: 0 pass, 1..14 the rule set's own verbs, 15 escape, from 16 plays as
`cards << 8 | 16 + kind` (kind 0: default reading). A deal is a tuple (first seat, hands,
bottom) of card sets.

Suits never matter, so `legal_actions` lists each multiset of ranks once, with the lowest
suits of the hand, while `is_legal` takes any suits; `canonical` maps one to the other.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from paiju.rules.api import ALL, CHANCE, Deadline, Event, IllegalAction, Rng
from paiju.rules.cards import BITS, RANK_NAMES, cards_of, mask_of, names_of
from paiju.rules.climbing.combos import Combos, Reading
from paiju.rules.climbing.packed import counts_of, pick
from paiju.rules.climbing.plays import PASS, PLAY, Finder

if TYPE_CHECKING:
    from paiju.rules.climbing.game import ClimbingGame

Deal = tuple[int, tuple[int, ...], int]
Move = int | Deal

ESCAPE = 15

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.decode
_CACHED = 1 << 13
_BUDGET_MS = 20


@lru_cache(_CACHED)
def _facts(cards: int) -> tuple[int, tuple[str, ...]]:
    """Packed counts and names of a set of cards."""
    return counts_of(cards), tuple(names_of(cards))


def _event(kind: str, data: Mapping[str, Any]) -> Event:
    """An Event for everybody; half the price of its constructor."""
    return tuple.__new__(Event, (kind, data, ALL, None))


_PASSED = tuple(Event("pass", {"seat": seat}) for seat in range(8))


class ClimbingState:
    """One hand. Phases: deal, the rule set's own, play, end.

    Owner: whoever made it; a state is not shared. `_public` is the part of the view that
    everybody sees, kept until the next action.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (
        "stage",
        "turn",
        "first",
        "hands",
        "bottom",
        "landlord",
        "base",
        "table",
        "last",
        "passes",
        "bombs",
        "plays",
        "played",
        "shown",
        "winner",
        "result",
    )
    """What a snapshot holds besides wealth, carry and log; a rule set adds its own."""

    __slots__ = (*_SAVED, "_log", "_public", "carry", "counts", "game", "wealth")

    combos: Combos
    finder: Finder
    """Of the class, or of the state where they depend on parameters."""

    hands: list[int]
    plays: list[int]
    shown: list[int | None]

    def __init__(
        self,
        game: ClimbingGame[Any],
        wealth: tuple[int, ...] | None,
        carry: Mapping[str, Any],
    ) -> None:
        seats = game.info.max_seats
        self.game = game
        self.wealth = wealth
        self.carry = carry
        self.stage = "deal"
        self.turn = CHANCE
        self.first = 0
        self.hands = [0] * seats
        self.counts = [0] * seats  # the hands, packed
        self.bottom = 0
        self.landlord: int | None = None
        self.base = 0  # base score; 0 while nobody has called
        self.table: Reading | None = None
        self.last: int | None = None  # who laid the table
        self.passes = 0
        self.bombs = 0
        self.plays = [0] * seats
        self.played = 0  # packed counts of all cards played
        self.shown = [None] * seats  # last action of the round: cards, 0 pass
        self.winner: int | None = None
        self.result: str | None = None
        self._log: list[tuple[int, Move]] = []
        self._public: dict[str, Any] | None = None

    # ---- what a rule set adds --------------------------------------------------------------

    def _check_stage(self, seat: int, action: int) -> None:
        """IllegalAction unless the seat may do this in the present phase before the play."""
        raise NotImplementedError

    def _stage_actions(self, seat: int) -> Sequence[int]:
        raise NotImplementedError

    def _act_stage(self, seat: int, action: int) -> list[Event]:
        raise NotImplementedError

    def _dealt(self) -> None:
        """The cards are dealt: begin the first phase."""
        raise NotImplementedError

    def view(self, seat: int) -> dict[str, Any]:
        raise NotImplementedError

    # ---- whose turn ------------------------------------------------------------------------

    def to_act(self) -> tuple[int, ...]:
        return () if self.result is not None else (self.turn,)

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
            if action == PASS:
                return self._pass(seat)
            if action >= PLAY:
                return self._play(seat, action)
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
            self._check_deal(seat, action)
        elif action == ESCAPE:
            if self.stage == "deal" or not 0 <= seat < len(self.hands):
                raise IllegalAction("wrong_phase")
        elif seat != self.turn or seat == CHANCE:
            raise IllegalAction("not_your_turn")
        elif self.stage != "play":
            if action >= PLAY:
                raise IllegalAction("wrong_phase")
            self._check_stage(seat, action)
        elif action >= PLAY:
            self._reading(seat, action)
        elif action != PASS:
            raise IllegalAction("wrong_phase")
        elif self.table is None:
            raise IllegalAction("must_lead")

    def _check_deal(self, seat: int, deal: Deal) -> None:
        first, hands, bottom = deal
        if seat != CHANCE or self.stage != "deal":
            raise IllegalAction("wrong_phase")
        whole, cards = bottom, bottom.bit_count()
        for hand in hands:
            whole |= hand
            cards += hand.bit_count()
        if [hand.bit_count() for hand in hands] != [*self.deal_sizes] or not (
            whole == (1 << self.deck) - 1 and cards == self.deck
        ):
            raise IllegalAction("bad_deal")
        if first != self.carry.get("first", first) or not 0 <= first < len(self.hands):
            raise IllegalAction("bad_deal")

    def _reading(self, seat: int, action: int) -> Reading:
        """The reading that a play lays; IllegalAction. The turn is checked before."""
        cards = action >> 8
        if cards & ~self.hands[seat]:
            missing = " ".join(names_of(cards & ~self.hands[seat]))
            raise IllegalAction("not_in_hand", cards=missing)
        combos, table = self.combos, self.table
        readings = combos.readings.get(_facts(cards)[0])
        number = (action & 0xFF) - PLAY
        if readings and number:
            readings = combos.named(readings, number)
        if not readings:
            raise IllegalAction("no_such_play")
        if table is None:
            return readings[0]
        for reading in readings:
            if combos.beats(reading, table):
                return reading
        raise IllegalAction("does_not_beat", **table.shown())

    def legal_actions(self, seat: int) -> Sequence[int]:
        """Each multiset of ranks once; () when it is not the seat's turn."""
        if seat != self.turn or self.result is not None or seat == CHANCE:
            return ()
        if self.stage != "play":
            return self._stage_actions(seat)
        if self.table is None:
            return self.finder.leads(self.hands[seat], self.counts[seat])
        return self.finder.follows(self.hands[seat], self.counts[seat], self.table)

    def canonical(self, seat: int, action: Move) -> Move:
        """The listed action that does the same: a play with the lowest suits of the hand."""
        if isinstance(action, tuple) or action < PLAY:
            return action
        return pick(self.hands[seat], counts_of(action >> 8)) << 8 | action & 0xFF

    def default_action(self, seat: int) -> Move:
        """Following: pass. Leading: the lowest card as a single."""
        if self.stage == "play" and self.table is None:
            hand = self.hands[seat]
            return (hand & -hand) << 8 | PLAY
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
        self.first, hands, self.bottom = deal
        self.hands = list(hands)
        self.counts = [counts_of(hand) for hand in hands]
        self._dealt()
        return [
            Event("deal", {"first": self.first, "hand": names_of(hand)}, (seat,), None)
            for seat, hand in enumerate(hands)
        ]

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
        reading = self._reading(seat, action)
        kind, rank, length = reading
        cards = action >> 8
        counts, names = _facts(cards)
        seats = len(self.hands)
        self._log.append((seat, action))
        self._public = None
        if self.table is None:
            self.shown = [None] * seats
        self.hands[seat] = hand = self.hands[seat] ^ cards
        self.counts[seat] -= counts
        self.played += counts
        self.plays[seat] += 1
        if kind in self.combos.bombs:
            self.bombs += 1
        self.table, self.last, self.passes = reading, seat, 0
        self.shown[seat] = cards
        self.turn = (seat + 1) % seats
        events = [
            _event(
                "play",
                {
                    "seat": seat,
                    "cards": names,
                    "left": hand.bit_count(),
                    "kind": kind,
                    "rank": RANK_NAMES[rank],
                    "length": length,
                },
            )
        ]
        if not hand:
            self.stage, self.result, self.winner = "end", "finished", seat
            events.append(Event("end", {"hands": [names_of(left) for left in self.hands]}))
        return events

    def _escape(self, seat: int) -> list[Event]:
        self.stage, self.result, self.winner = "end", "escaped", seat
        hands = [names_of(left) for left in self.hands]
        return [Event("escape", {"seat": seat}), Event("end", {"hands": hands})]

    # ---- chance ----------------------------------------------------------------------------

    deck = 54
    deal_sizes: Sequence[int] = ()
    """Cards per seat; what is left of the deck is the bottom."""

    def sample_chance(self, rng: Rng) -> Move:
        """Cards first, then the first seat where no hand went before."""
        order = rng.permutation(self.deck)
        bits = [BITS[card] for card in order]
        first = self.carry.get("first")
        if first is None:
            first = rng.below(len(self.hands))
        hands, start = [], 0
        for size in self.deal_sizes:
            hands.append(sum(bits[start : start + size]))
            start += size
        return first, tuple(hands), sum(bits[start:])

    def bottom_is_open(self) -> bool:
        """Whether everybody knows the bottom cards."""
        return self.landlord is not None and self.stage in ("play", "end")

    def resample(self, seat: int, rng: Rng) -> Self:
        """The cards that the seat cannot see are dealt anew among the places it cannot see."""
        world = self.clone()
        if self.result is not None or not self._log:
            return world
        deal = self._log[0][1]
        assert isinstance(deal, tuple)
        first, dealt, bottom = deal
        known = self.bottom if self.bottom_is_open() else 0
        places = [s for s in range(len(self.hands)) if s != seat]
        hidden = {s: self.hands[s] & ~known for s in places}
        pool = [card for mask in hidden.values() for card in cards_of(mask)]
        if not known:
            pool += cards_of(bottom)
        mixed = [pool[i] for i in rng.permutation(len(pool))]
        hands = list(dealt)
        for s, mask in hidden.items():
            size = mask.bit_count()
            new, mixed = mask_of(mixed[:size]), mixed[size:]
            hands[s] = dealt[s] & ~mask | new
            world.hands[s] = self.hands[s] & ~mask | new
            world.counts[s] = counts_of(world.hands[s])
        if not known:
            world.bottom = mask_of(mixed)
        world._log[0] = (CHANCE, (first, tuple(hands), world.bottom))
        world._public = None
        return world

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, Move]]:
        return self._log

    def dump(self) -> bytes:
        """All of the state, in this program's own packing; records are for keeping."""
        saved = [getattr(self, name) for name in self._SAVED]
        return _encode((self.game.id, self.wealth, dict(self.carry), self._log, saved))

    @classmethod
    def restored(cls, game: ClimbingGame[Any], blob: bytes) -> Self:
        """The state of a dump. ValueError for what is none of this game."""
        try:
            identity, wealth, carry, log, saved = _decode(blob)
        except (msgspec.DecodeError, TypeError, ValueError):
            raise ValueError("not a snapshot of a state") from None
        if tuple(identity) != game.id:
            raise ValueError(f"a state of {identity}, not of {list(game.id)}")
        state = cls(game, None if wealth is None else tuple(wealth), carry)
        for name, value in zip(cls._SAVED, saved, strict=True):
            setattr(state, name, value)
        if state.table is not None:
            state.table = Reading(*state.table)
        state.counts = [counts_of(hand) for hand in state.hands]
        state._log = [(seat, _move(action)) for seat, action in log]
        return state

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Self:
        other = type(self).__new__(type(self))
        for slots in (ClimbingState.__slots__, type(self).__slots__):
            for name in slots:
                value = getattr(self, name)
                setattr(other, name, list(value) if isinstance(value, list) else value)
        return other


def _move(saved: Any) -> Move:
    if isinstance(saved, int):
        return saved
    first, hands, bottom = saved
    return first, tuple(hands), bottom
