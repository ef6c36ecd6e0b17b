"""What a hand of Gouji holds, and its identity: log, snapshot, hash, clone.

The phases are in `opening` (before the first lead) and `trick` (the play), which add methods
but no data. Sets of seats that only grow are bit masks; sets of cards are as in `deck`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

import msgspec

from games.gouji import deck
from games.gouji.actions import SEATS, Deal, Move
from games.gouji.plays import PlayRules, Reading
from games.gouji.tributes import Debt

if TYPE_CHECKING:
    from games.gouji.finder import Finder
    from games.gouji.rules import Gouji

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.decode

MELEE = 4
"""四户乱缠: at most so many active seats."""


class HandState:
    """Data of one hand. Owner: whoever made it; a state is not shared."""

    _PLAIN: ClassVar[tuple[str, ...]] = (
        "stage",  # deal .. play, over
        "queue",  # seats to be asked, in order; in show_lead those who have not answered
        "cursor",  # next seat to look at in phases that go round
        "number",  # of the hand in its series, from 1
        "first",  # first leader, None while unknown
        "inactive",  # mask: finished, burn-failed or revolutionist
        "revolution",  # seat or None
        "headed",  # its opposite has been asked for the head
        "weak",  # mask: was seen to hold neither 2 nor joker
        "threeless",  # mask: was seen to hold no three
        "credits",  # dead-threshold plays left to the opposite of the revolutionist
        "opened",  # mask
        "announced",  # mask
        "debt_at",  # debts[debt_at] is being paid
        "returning",  # its tribute is paid, the return is not
        "traded",  # the round of buying threes is over
        "bought",  # (buyer, seller, card name) in order
        "show_seat",  # best show of identical cards so far
        "show_count",
        "finished",  # seats in order
        "failed",  # burn-failed seats in order
        "burned",  # (victim, burner) in order
        "smothered",  # (beaten, beater) in order
        "burner",  # seat under obligation or None
        "victim",  # whose play it burned
        "top_seat",  # who laid the top play; None: a new trick
        "fair",  # the top play was laid before melee
        "dead",  # the top play is dead
        "went_out",  # its seat went out with it, first or second, by a threshold play
        "only_threes",  # it left nothing but threes
        "by_yielder",  # it was laid by the seat that had yielded
        "yielded",  # who yielded on the top play, or None
        "recall",  # the opposite passed early on it
        "window",  # candidates of the burn window not yet looked at; None: no window
        "passed",  # masks of this trick
        "reentered",
        "out",
        "said",  # last word of each seat in this trick
        "tells",  # so many actions of the log tell something of hidden cards
        "result",  # None while running
        "leaver",
    )
    _SETS: ClassVar[tuple[str, ...]] = (
        "hands",
        "own",  # cards dealt to the seat that it still has
        "known",  # cards everybody knows the seat to hold
        "laid",  # last cards of each seat in this trick
        "gone",  # all that the seat has laid for good
    )
    __slots__ = (
        *_PLAIN,
        *_SETS,
        "_hashed",
        "_hasher",
        "_log",
        "_public",
        "bie_san",
        "carry",
        "debts",
        "game",
        "top",
        "wealth",
    )

    plays: ClassVar[PlayRules]
    finder: ClassVar[Finder]

    def __init__(
        self, game: Gouji, wealth: tuple[int, ...] | None, carry: Mapping[str, Any]
    ) -> None:
        self.game = game
        self.wealth = wealth
        self.carry = carry
        self.bie_san = bool(game.values["bie_san"])
        self.stage = "deal"
        self.queue: list[int] = []
        self.cursor = 0
        self.number: int = carry.get("hand", 1)
        self.first: int | None = carry.get("first")
        self.debts = [Debt.of(shown) for shown in carry.get("tributes", ())]
        self.inactive = 0
        self.revolution: int | None = None
        self.headed = False
        self.weak = 0
        self.threeless = 0
        self.credits = 0
        self.opened = 0
        self.announced = 0
        self.debt_at = 0
        self.returning = False
        self.traded = False
        self.bought: list[tuple[int, int, str]] = []
        self.show_seat: int | None = None
        self.show_count = 0
        self.finished: list[int] = []
        self.failed: list[int] = []
        self.burned: list[tuple[int, int]] = []
        self.smothered: list[tuple[int, int]] = []
        self.burner: int | None = None
        self.victim: int | None = None
        self.top: Reading | None = None
        self.top_seat: int | None = None
        self.fair = False
        self.dead = False
        self.went_out = False
        self.only_threes = False
        self.by_yielder = False
        self.yielded: int | None = None
        self.recall = False
        self.window: list[int] | None = None
        self.passed = 0
        self.reentered = 0
        self.out = 0
        self.said: list[str | None] = [None] * SEATS
        self.tells = 0
        self.result: str | None = None
        self.leaver: int | None = None
        self.hands = [0] * SEATS
        self.own = [0] * SEATS
        self.known = [0] * SEATS
        self.laid = [0] * SEATS
        self.gone = [0] * SEATS
        self._log: list[tuple[int, Move]] = []
        self._hasher = hashlib.blake2b(digest_size=8)
        self._hashed = 0  # so much of the log is in the hasher
        self._public: dict[str, Any] | None = None

    # ---- seats -----------------------------------------------------------------------------

    def active(self, seat: int) -> bool:
        return not self.inactive >> seat & 1

    def melee(self) -> bool:
        return SEATS - self.inactive.bit_count() <= MELEE

    def next_active(self, seat: int) -> int:
        """The seat itself or the first active one after it."""
        while self.inactive >> seat & 1:
            seat = (seat + 1) % SEATS
        return seat

    # ---- identity --------------------------------------------------------------------------

    def log(self) -> Sequence[tuple[int, Move]]:
        return self._log

    def _packed(self) -> tuple[Any, ...]:
        sets = [_bytes(cards) for name in self._SETS for cards in getattr(self, name)]
        plain = [getattr(self, name) for name in self._PLAIN]
        return self.game.id, self.wealth, dict(self.carry), self.debts, plain, b"".join(sets)

    def dump(self) -> bytes:
        """All of the state, in this program's own packing; records are for keeping."""
        log = [(seat, _action_bytes(action)) for seat, action in self._log]
        return _encode((*self._packed(), log))

    @classmethod
    def restored(cls, game: Gouji, blob: bytes) -> Self:
        """The state of a dump. ValueError for what is none of this game."""
        try:
            identity, wealth, carry, debts, plain, sets, log = _decode(blob)
        except (msgspec.DecodeError, TypeError, ValueError):
            raise ValueError("not a snapshot of a state") from None
        if tuple(identity) != game.id:
            raise ValueError(f"a state of {identity}, not of {list(game.id)}")
        state = cls(game, None if wealth is None else tuple(wealth), carry)
        for name, value in zip(cls._PLAIN, plain, strict=True):
            setattr(state, name, value)
        state.debts = [Debt(*debt) for debt in debts]
        size = deck.SIZE_BYTES
        cards = [int.from_bytes(sets[i : i + size], "big") for i in range(0, len(sets), size)]
        for index, name in enumerate(cls._SETS):
            setattr(state, name, cards[index * SEATS : (index + 1) * SEATS])
        if state.top_seat is not None:
            state.top = cls.plays.reading(state.laid[state.top_seat])
        state._log = [(seat, _action_of(action)) for seat, action in log]
        return state

    def hash(self) -> int:
        """Of all data and the log, whose older part is hashed once only."""
        for seat, action in self._log[self._hashed :]:
            self._hasher.update(_encode((seat, _action_bytes(action))))
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

    def with_deal(self, deal: Deal) -> Self:
        """A clone whose log begins with another deal; its hands are the caller's business."""
        other = self.clone()
        other._log[0] = (other._log[0][0], deal)
        other._hasher, other._hashed = hashlib.blake2b(digest_size=8), 0
        other._public = None
        return other


def _bytes(cards: int) -> bytes:
    return cards.to_bytes(deck.SIZE_BYTES, "big")


def _action_bytes(action: Move) -> bytes | list[bytes]:
    if isinstance(action, tuple):
        return [_bytes(hand) for hand in action]
    return action.to_bytes(deck.SIZE_BYTES + 1 if action > 255 else 1, "big")


def _action_of(packed: bytes | list[bytes]) -> Move:
    if isinstance(packed, list):
        return tuple(int.from_bytes(hand, "big") for hand in packed)
    return int.from_bytes(packed, "big")
