"""The hand of a climbing game: what is the same whatever comes before the first lead.

A rule set adds its phases between the deal and the play, and its settlement. Actions are
integers: 0 pass, 15 escape, other numbers below 256 the rule set's own verbs, and plays as
`cards << 8 | 16 + kind` (kind 0: default reading). A deal is a tuple (first seat, hands,
bottom, card turned up) of card sets.

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
from paiju.rules.cards import RANK_NAMES
from paiju.rules.climbing.combos import Combos, Reading
from paiju.rules.climbing.decks import Deck, dealt
from paiju.rules.climbing.finder import Finder
from paiju.rules.climbing.plays import LOWEST_PLAY, PASS, PLAY
from paiju.rules.climbing.worlds import Cards, Known, elsewhere

if TYPE_CHECKING:
    from paiju.rules.climbing.game import ClimbingGame

Deal = tuple[int, tuple[int, ...], int, int]
Move = int | Deal

ESCAPE = 15

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.decode
_CACHED = 1 << 13
_BUDGET_MS = 20


@lru_cache(_CACHED)
def _facts(deck: Deck, cards: int) -> tuple[int, tuple[str, ...]]:
    """Packed counts and names of a set of cards."""
    return deck.counts(cards), tuple(deck.names(cards))


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
        "mark",
        "landlord",
        "base",
        "table",
        "last",
        "passes",
        "factor",
        "plays",
        "played",
        "shown",
        "winner",
        "result",
    )
    """What a snapshot holds besides wealth, carry and log; a rule set adds its own."""

    __slots__ = (
        *_SAVED,
        *("_log", "_log_bytes", "_log_packed", "_public"),
        *("carry", "counts", "game", "wealth"),
    )

    combos: ClassVar[Combos]
    finder: ClassVar[Finder]
    deck: ClassVar[Deck]
    deal_sizes: ClassVar[Sequence[int]] = ()
    """Cards per seat; what is left of the deck is the bottom."""

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
        self.carry = dict(carry)
        self.stage = "deal"
        self.turn = CHANCE
        self.first = 0
        self.hands = [0] * seats
        self.counts = [0] * seats  # the hands, packed
        self.bottom = 0
        self.mark = 0  # the card that lay face up among those dealt to hands
        self.landlord: int | None = None
        self.base = 0  # base score; 0 while nobody has called
        self.table: Reading | None = None
        self.last: int | None = None  # who laid the table
        self.passes = 0
        self.factor = 1  # what the bombs played multiply by
        self.plays = [0] * seats
        self.played = 0  # packed counts of all cards played
        self.shown = [None] * seats  # last action of the round: cards, 0 pass
        self.winner: int | None = None
        self.result: str | None = None
        self._log: list[tuple[int, Move]] = []
        self._log_bytes = bytearray()  # the log so far as it was dumped last
        self._log_packed = 0
        self._public: dict[str, Any] | None = None

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
            if action >= LOWEST_PLAY:
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
            self._reading(seat, action)
        elif action != PASS:
            raise IllegalAction("wrong_phase")
        elif self.table is None:
            raise IllegalAction("must_lead")

    def _check_turn(self, seat: int) -> None:
        """For phases in which one seat after the other acts."""
        if seat != self.turn:
            raise IllegalAction("not_your_turn")

    def _check_deal(self, deal: Deal) -> None:
        first, hands, bottom, _ = deal
        deck = self.deck
        sizes = [deck.length(hand) for hand in hands]
        whole = sum(hands) + bottom
        if sizes != [*self.deal_sizes] or whole != deck.full:
            raise IllegalAction("bad_deal")
        if sum(sizes) + deck.length(bottom) != deck.size:
            raise IllegalAction("bad_deal")
        if first != self.carry.get("first", first) or not 0 <= first < len(self.hands):
            raise IllegalAction("bad_deal")

    def _reading(self, seat: int, action: int) -> Reading:
        """The reading that a play lays; IllegalAction. The turn is checked before."""
        cards = action >> 8
        lacking = self.deck.lacking(self.hands[seat], cards)
        if lacking:
            raise IllegalAction("not_in_hand", cards=" ".join(self.deck.names(lacking)))
        combos, table = self.combos, self.table
        readings = combos.readings.get(_facts(self.deck, cards)[0])
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
        reading = self._reading(seat, action)
        kind, rank, length = reading
        cards = action >> 8
        counts, names = _facts(self.deck, cards)
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
        events = [
            _event(
                "play",
                {
                    "seat": seat,
                    "cards": names,
                    "left": self.deck.length(hand),
                    "kind": kind,
                    "rank": RANK_NAMES[rank],
                    "length": length,
                },
            )
        ]
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

    # ---- chance ----------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Move:
        """Cards first, then the first seat where no hand went before."""
        hands, bottom = self._shuffled(rng)
        first = self.carry.get("first")
        return rng.below(len(self.hands)) if first is None else first, hands, bottom, 0

    def _shuffled(self, rng: Rng) -> tuple[tuple[int, ...], int]:
        """Hands and bottom."""
        order = rng.permutation(self.deck.size)
        *hands, bottom = dealt(self.deck, order, self.deal_sizes)
        return tuple(hands), bottom

    def known_to(self, viewer: int) -> Known:
        """What the viewer knows of where the cards are; all that `view` shows must be in it."""
        bottom = self.bottom if self.bottom_is_open() else None
        hands = [0] * len(self.hands)
        if bottom is not None and self.landlord is not None:
            hands[self.landlord] = self._left_of(bottom, self.landlord)
        if 0 <= viewer < len(self.hands):
            hands[viewer] = self.hands[viewer]
        return Known(tuple(hands), bottom)

    def bottom_is_open(self) -> bool:
        """Whether everybody knows the bottom cards."""
        return self.landlord is not None and self.stage in ("play", "end")

    def _left_of(self, cards: int, seat: int) -> int:
        """What of these cards the seat must still hold, having begun with them."""
        had = self._cards().dealt[seat] + (self.bottom if seat == self.landlord else 0)
        played = had - self.hands[seat]
        return self.deck.lacking(played, cards)

    def _cards(self) -> Cards:
        """Where the cards are, with the deal of the log."""
        deal = self._log[0][1]
        assert isinstance(deal, tuple)
        return Cards(deal[1], deal[2], self._bottom_holder(), tuple(self.hands), self.mark)

    def _bottom_holder(self) -> int | None:
        """The seat whose hand the bottom cards have joined."""
        return self.landlord if self.stage in ("play", "end") else None

    def resample(self, seat: int, rng: Rng) -> Self:
        """The cards that the seat cannot see are dealt anew among the places it cannot see."""
        world = self.clone()
        if self.result is not None or not self._log:
            return world
        cards = elsewhere(self.deck, self._cards(), self.known_to(seat), rng)
        world._put(cards)
        return world

    def _put(self, cards: Cards) -> None:
        """Have the cards there, in the log, too."""
        first = self._log[0][1]
        assert isinstance(first, tuple)
        self.hands = list(cards.hands)
        self.counts = [self.deck.counts(hand) for hand in cards.hands]
        self.bottom = cards.bottom
        self._log[0] = (CHANCE, (first[0], cards.dealt, cards.bottom, first[3]))
        self._forget_packed()

    def _forget_packed(self) -> None:
        """The log was changed (another world): nothing derived from it holds."""
        self._log_bytes, self._log_packed = bytearray(), 0
        self._public = None

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, Move]]:
        return self._log

    def dump(self) -> bytes:
        """All of the state, in this program's own packing; records are for keeping."""
        saved: list[Any] = [getattr(self, name) for name in self._SAVED]
        if self.deck.size > _NARROW:
            for place in _WIDE:
                saved[place] = _packed(saved[place])
        return _encode((self.game.id, self.wealth, self.carry, self._packed_log(), saved))

    def _packed_log(self) -> bytes:
        """The log as a msgpack array; what was packed before is kept."""
        packed = self._log_bytes
        for index in range(self._log_packed, len(self._log)):
            seat, action = self._log[index]
            packed += _encode((seat, _packed(action) if seat < 0 or action > 255 else action))
        self._log_packed = len(self._log)
        return _ARRAY + self._log_packed.to_bytes(4, "big") + packed

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
            setattr(state, name, _unpacked(value))
        if state.table is not None:
            state.table = Reading(*state.table)
        state.counts = [cls.deck.counts(hand) for hand in state.hands]
        state._log = [(seat, _move(_unpacked(action))) for seat, action in _decode(log)]
        return state

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Self:
        other = type(self).__new__(type(self))
        for kind in type(self).__mro__[:-1]:
            for name in kind.__dict__.get("__slots__", ()):
                value = getattr(self, name)
                setattr(other, name, value.copy() if isinstance(value, _COPIED) else value)
        return other


_COPIED = (list, bytearray)
_ARRAY = b"\xdd"
"""Msgpack: an array, whose length follows in four bytes."""
_WIDE = [ClimbingState._SAVED.index(name) for name in ("hands", "bottom", "mark", "shown")]
"""What of a snapshot may hold sets of cards."""
_INTEGER_BITS = 63
_NARROW = 54
"""With so many cards every integer of a state fits msgpack's 64 bits."""


def _packed(value: Any) -> Any:
    """With integers that do not fit msgpack's 64 bits as bytes."""
    if type(value) is int:
        return value if value >> _INTEGER_BITS in (0, -1) else value.to_bytes(16, "little")
    if isinstance(value, list | tuple):
        return [_packed(item) for item in value]
    return value


def _unpacked(value: Any) -> Any:
    if isinstance(value, bytes):
        return int.from_bytes(value, "little")
    if isinstance(value, list):
        return [_unpacked(item) for item in value]
    return value


def _move(saved: Any) -> Move:
    if isinstance(saved, int):
        return saved
    first, hands, bottom, mark = saved
    return first, tuple(hands), bottom, mark
