"""The data of a hand: what a snapshot holds, its identity, copies of it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from paiju.rules.api import CHANCE
from paiju.rules.climbing.combos import Combos, Reading
from paiju.rules.climbing.decks import Deck
from paiju.rules.climbing.finder import Finder
from paiju.rules.compiled import mypyc_attr

if TYPE_CHECKING:
    from paiju.rules.climbing.game import ClimbingGame

Deal = tuple[int, tuple[int, ...], int, int]
"""First seat, hands, bottom, card turned up; sets of cards."""
Move = int | Deal

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.decode


_BESIDE = (
    *("_log", "_log_bytes", "_log_packed", "_public"),
    *("carry", "combos", "counts", "deck", "finder", "game", "wealth"),
)
"""The fields that a snapshot does not hold as they are."""


@mypyc_attr(allow_interpreted_subclasses=True)
class HandData:
    """Owner: whoever made it; a hand is not shared. `_public` is the part of the view that
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
    """What a snapshot holds besides wealth, carry and log; a rule set adds all its fields."""

    __slots__ = (*_SAVED, *_BESIDE)

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
        self.combos: Combos = game.combos
        self.finder: Finder = game.finder
        self.deck: Deck = game.deck
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

    def _forget_packed(self) -> None:
        """The log was changed (another world): nothing derived from it holds."""
        self._log_bytes, self._log_packed = bytearray(), 0
        self._public = None

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
            packed += _encode((seat, _packed(action)))
        self._log_packed = len(self._log)
        return _ARRAY + self._log_packed.to_bytes(4, "big") + packed

    @classmethod
    def restored(cls, game: ClimbingGame[Any], blob: bytes) -> Self:
        """The state of a dump. ValueError for what is none of this game."""
        try:
            identity, wealth, carry, packed, saved = _decode(blob)
            log = _decode(packed)
        except (msgspec.DecodeError, TypeError, ValueError):
            raise ValueError("not a snapshot of a state") from None
        if tuple(identity) != game.id:
            raise ValueError(f"a state of {identity}, not of {list(game.id)}")
        state = cls(game, None if wealth is None else tuple(wealth), carry)
        for name, value in zip(cls._SAVED, saved, strict=True):
            restored = _unpacked(value)
            if name == "table" and restored is not None:
                restored = Reading(*restored)
            setattr(state, name, restored)
        state.counts = [state.deck.counts(hand) for hand in state.hands]
        state._log = [(seat, _move(_unpacked(action))) for seat, action in log]
        return state

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Self:
        other = type(self).__new__(type(self))
        for name in (*self._SAVED, *_BESIDE):
            value = getattr(self, name)
            setattr(other, name, value.copy() if isinstance(value, _COPIED) else value)
        return other


_COPIED = (list, bytearray)
_ARRAY = b"\xdd"
"""Msgpack: an array, whose length follows in four bytes."""
_WIDE = [HandData._SAVED.index(name) for name in ("hands", "bottom", "mark", "shown")]
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
