"""The data of a hand: what a snapshot holds, its hash and its copy.

Owner: whoever made the state; it is not shared. Everything that can be derived from the data
(ranking, rules, the running lead, the public view) is derived again after loading.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from games.shengji.actions import SEATS, Move, packed, unpacked
from paiju.rules.tricks import Lead, Ranking, TrickRules, lead_of
from paiju.rules.tricks.packs import SIZE_BYTES, size_of

if TYPE_CHECKING:
    from games.shengji.game import TrickGame

UNKNOWN = -1
"""As dealer, trump suit, claimer: not fixed yet."""

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.decode


class HandState:
    """See the fields' comments. Seats are 0..3; cards are sets of `tricks.packs`."""

    _PLAIN: ClassVar[tuple[str, ...]] = (
        "stage",  # name of the phase
        "first",  # who is dealt the first card
        "dealt",  # cards dealt
        "under",  # cards of the bottom
        "queue",  # seats to act, in order
        "dealer",
        "level",  # rank character of this hand
        "levels",  # of team 0 and team 1
        "trump",  # suit 0..3, NO_TRUMP, or UNKNOWN
        "claimer",
        "first_claimer",
        "named",  # suit that the claim names beside its cards, or UNKNOWN
        "counters",  # 反主
        "bottom_counters",  # 反底
        "burier",  # who took the bottom last
        "bottom_open",  # whether everybody knows the bottom
        "turned",  # cards turned up beside claims, in order (Dagunzi)
        "owed",  # cards of tribute
        "payer",  # who really pays
        "paid",
        "dry",  # 干锅
        "points",  # of the scorers' tricks
        "leader",
        "winners",  # of all tricks
        "voids",  # per seat: suits it has shown not to have, as bits
        "largest",  # cards of the largest component of the last lead
        "result",
        "leaver",
    )
    _SETS: ClassVar[tuple[str, ...]] = ("bottom", "claim", "gone")
    """Single sets: the bottom, the standing claim, all cards played."""
    _SEAT_SETS: ClassVar[tuple[str, ...]] = ("hands", "known", "laid", "last")
    """Per seat: the hand; what all know of it; the play of the running and of the last trick."""

    __slots__ = (
        *_PLAIN,
        *_SETS,
        *_SEAT_SETS,
        "_hashed",
        "_hasher",
        "_log",
        "_public",
        "carry",
        "game",
        "lead",
        "pack",
        "ranking",
        "rules",
        "wealth",
    )

    hands: list[int]
    known: list[int]
    laid: list[int]
    last: list[int]

    def __init__(
        self,
        game: TrickGame,
        wealth: tuple[int, ...] | None,
        carry: Mapping[str, Any],
    ) -> None:
        self.game = game
        self.wealth = wealth
        self.carry = carry
        self.stage = "deal"
        self.first = 0
        self.dealt = 0
        self.under = game.bottom_cards
        self.queue: list[int] = []
        self.dealer = game.first_dealer_of(carry)
        self.levels = game.levels_of(carry)
        self.level = game.level_of(self.levels, self.dealer)
        self.trump = UNKNOWN
        self.claimer = UNKNOWN
        self.first_claimer = UNKNOWN
        self.named = UNKNOWN
        self.counters = 0
        self.bottom_counters = 0
        self.burier = UNKNOWN
        self.bottom_open = False
        self.turned: list[int] = []
        self.owed = game.tribute_of(carry)
        self.payer = UNKNOWN
        self.paid = 0
        self.dry = False
        self.points = 0
        self.leader = UNKNOWN
        self.winners: list[int] = []
        self.voids = [0] * SEATS
        self.largest = 0
        self.result: str | None = None
        self.leaver = UNKNOWN
        self.bottom = 0
        self.claim = 0
        self.gone = 0
        self.hands = [0] * SEATS
        self.known = [0] * SEATS
        self.laid = [0] * SEATS
        self.last = [0] * SEATS
        # Derived: the pack from the log; ranking and rules from the trump suit; the lead.
        self.pack = b""
        self.ranking: Ranking | None = None
        self.rules: TrickRules | None = None
        self.lead: Lead | None = None
        self._log: list[tuple[int, Move]] = []
        self._hasher = hashlib.blake2b(digest_size=8)
        self._hashed = 0  # so much of the log is in the hasher
        self._public: dict[str, Any] | None = None

    def undealt(self) -> int:
        """Cards that still go into hands; what is left of the pack then is the bottom."""
        return len(self.pack) - self.under - self.dealt

    def scores(self, seat: int) -> bool:
        """Whether the seat is a scorer; the dealer must be known."""
        return (seat - self.dealer) % 2 == 1

    def fix_trump(self, trump: int) -> None:
        """From now on cards rank, and it is known what may be led and followed."""
        self.trump = trump
        self.ranking = self.game.ranking_of(self.level, trump)
        self.rules = self.game.rules_of(self.ranking)

    def hand_sizes(self) -> list[int]:
        return [size_of(hand) for hand in self.hands]

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, Move]]:
        return self._log

    def _packed(self) -> tuple[Any, ...]:
        sets = [getattr(self, name) for name in self._SETS]
        for name in self._SEAT_SETS:
            sets += getattr(self, name)
        plain = [getattr(self, name) for name in self._PLAIN]
        blob = b"".join([cards.to_bytes(SIZE_BYTES, "big") for cards in sets])
        return self.game.id, self.wealth, dict(self.carry), plain, blob

    def dump(self) -> bytes:
        """All of the state, in this program's own packing; records are for keeping."""
        return _encode((*self._packed(), [(seat, packed(action)) for seat, action in self._log]))

    @classmethod
    def restored(cls, game: TrickGame, blob: bytes) -> Self:
        """The state of a dump. ValueError for what is none of this game."""
        try:
            identity, wealth, carry, plain, sets, log = _decode(blob)
        except (msgspec.DecodeError, TypeError, ValueError):
            raise ValueError("not a snapshot of a state") from None
        if tuple(identity) != game.id:
            raise ValueError(f"a state of {identity}, not of {list(game.id)}")
        state = cls(game, None if wealth is None else tuple(wealth), carry)
        for name, value in zip(cls._PLAIN, plain, strict=True):
            setattr(state, name, value)
        cards = [
            int.from_bytes(sets[at : at + SIZE_BYTES], "big")
            for at in range(0, len(sets), SIZE_BYTES)
        ]
        for name in cls._SETS:
            setattr(state, name, cards.pop(0))
        for name in cls._SEAT_SETS:
            setattr(state, name, [cards.pop(0) for _ in range(SEATS)])
        state._log = [(seat, unpacked(action)) for seat, action in log]
        state._derive()
        return state

    def _derive(self) -> None:
        for _, action in self._log[:1]:
            assert isinstance(action, tuple)
            self.pack = action[1]
        if self.trump != UNKNOWN:
            self.fix_trump(self.trump)
        if self.rules is not None and self.leader != UNKNOWN and self.laid[self.leader]:
            self.lead = lead_of(self.rules, self.laid[self.leader])

    def hash(self) -> int:
        """Of all data and the log, whose older part is hashed once only."""
        for seat, action in self._log[self._hashed :]:
            self._hasher.update(_encode((seat, packed(action))))
        self._hashed = len(self._log)
        whole = self._hasher.copy()
        whole.update(_encode(self._packed()))
        return int.from_bytes(whole.digest(), "big")

    def clone(self) -> Self:
        other = type(self).__new__(type(self))
        for name in HandState.__slots__:
            value = getattr(self, name)
            setattr(other, name, list(value) if isinstance(value, list) else value)
        other._hasher = self._hasher.copy()
        return other
