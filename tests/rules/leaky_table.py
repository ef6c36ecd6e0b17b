"""A toy with what High card (`leaky`) lacks: a deal during which seats may act, sealed choices
of all at once, claims out of turn, and a pot that stays from hand to hand.

Sealed bids: three seats get a card each, one after the other; who has one may `show` it while
the deal goes on. Then all bid at once, `bid 1` to `bid 3`, and the bids are opened together.
Seat 0 is asked for a `pass`; meanwhile the others may `snap`. The highest bid (the first of
equals) pays its bid into the pot, a snapper takes one from it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from paiju.rules.api import CHANCE, Deadline, Event, GameId, IllegalAction, Info, Outcome, Rng
from paiju.rules.cards import NAMES

SEATS = 3
DECK = 8
Move = str


class SealedBids:
    name = "sealed_bids"
    id = GameId("sealed_bids", 1, "{}")
    info = Info(3, 3, False, False, True, True, True, 40)
    title: ClassVar[Mapping[str, str]] = {"en": "Sealed bids", "zh": "暗标"}
    parameters: ClassVar[Mapping[str, Any]] = {}

    def __init__(self, state_class: type[SealedState]) -> None:
        self.state_class = state_class

    def new_state(self, seats: int, *, wealth: Any = None, carry: Any = None) -> Any:
        return self.state_class(self, (carry or {}).get("pot", 0))

    def load(self, blob: bytes) -> Any:
        pot, entries = json.loads(blob)
        state = self.state_class(self, pot)
        for seat, move in entries:
            state.apply(seat, move)
        return state

    def parse(self, state: Any, seat: int, text: str) -> Move:
        verb, _, rest = text.partition(" ")
        if text in ("show", "pass", "snap", "leave", "bid 1", "bid 2", "bid 3"):
            return text
        if verb == "deal" and rest in NAMES[:DECK]:
            return text
        raise IllegalAction("syntax")

    def format(self, action: Move) -> str:
        return action

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return code

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Move]:
        return view.get("legal", ())

    def bot(self) -> Any:
        raise NotImplementedError


class SealedState:
    def __init__(self, game: SealedBids, pot: int) -> None:
        self.game = game
        self.pot = pot
        self.cards: list[str] = []
        self.shown: list[int] = []
        self.bids: dict[int, int] = {}
        self.snapper: int | None = None
        self.result: str | None = None
        self.entries: list[tuple[int, Move]] = []

    def phase(self) -> str:
        if self.result:
            return "end"
        return "deal" if len(self.cards) < SEATS else "bid" if len(self.bids) < SEATS else "snap"

    def to_act(self) -> tuple[int, ...]:
        if self.phase() == "deal":
            return (CHANCE, *(seat for seat in range(SEATS) if seat not in self.shown))
        if self.phase() == "bid":
            return tuple(seat for seat in range(SEATS) if seat not in self.bids)
        return (0,) if self.phase() == "snap" else ()

    def deadlines(self) -> tuple[Deadline, ...]:
        phase = self.phase()
        return tuple(
            Deadline(seat, phase) for seat in self.to_act() if (seat == CHANCE) == (phase == "deal")
        )

    def is_terminal(self) -> bool:
        return self.result is not None

    def legal_actions(self, seat: int) -> Sequence[Move]:
        if seat not in self.to_act() or seat == CHANCE:
            return ()
        if self.phase() == "deal":
            return ("show",) if seat < len(self.cards) else ()
        return ("bid 1", "bid 2", "bid 3") if self.phase() == "bid" else ("pass",)

    def claims(self, seat: int) -> Sequence[Move]:
        return ("snap",) if self.phase() == "snap" and seat in (1, 2) else ()

    def order_claims(self, claims: Sequence[tuple[int, Move]]) -> Sequence[tuple[int, Move]]:
        return sorted(claims)

    def is_legal(self, seat: int, action: Move) -> bool:
        if action.startswith("deal "):
            return seat == CHANCE in self.to_act() and action[5:] not in self.cards
        if action == "leave":
            return 0 <= seat < SEATS and not self.result
        return action in self.legal_actions(seat) or action in self.claims(seat)

    def canonical(self, seat: int, action: Move) -> Move:
        return action

    def default_action(self, seat: int) -> Move:
        return self.legal_actions(seat)[0]

    def hint(self, seat: int) -> Move:
        return self.legal_actions(seat)[0]

    def apply(self, seat: int, action: Move) -> list[Event]:
        if not self.is_legal(seat, action):
            raise IllegalAction("not_now")
        self.entries.append((seat, action))
        verb, _, rest = action.partition(" ")
        if verb == "deal":
            self.cards.append(rest)
            return [Event("deal", {"card": rest}, (len(self.cards) - 1,), {})]
        if verb == "show":
            self.shown.append(seat)
            return [Event("show", {"seat": seat, "card": self.cards[seat]})]
        if verb == "bid":
            self.bids[seat] = int(rest)
            events = [Event("bid", {"seat": seat, "bid": rest}, (seat,), {"seat": seat})]
            if len(self.bids) == SEATS:
                events.append(Event("open", {"bids": [self.bids[s] for s in range(SEATS)]}))
            return events
        self.snapper = seat if verb == "snap" else None
        self.result = "left" if verb == "leave" else "finished"
        return [Event(verb, {"seat": seat})]

    def abandon(self, seat: int, reason: str) -> list[Event]:
        return self.apply(seat, "leave")

    def sample_chance(self, rng: Rng) -> Move:
        left = [card for card in NAMES[:DECK] if card not in self.cards]
        return f"deal {left[rng.below(len(left))]}"

    def view(self, seat: int) -> dict[str, Any]:
        view: dict[str, Any] = {
            "phase": self.phase(),
            "pot": self.pot,
            "shown": [self.cards[s] if s in self.shown else None for s in range(SEATS)],
            "bid": [s in self.bids for s in range(SEATS)],
            "bids": sorted(self.bids.items()) if len(self.bids) == SEATS else None,
        }
        if 0 <= seat < SEATS:
            view["card"] = self.cards[seat] if seat < len(self.cards) else None
            view["my_bid"] = self.bids.get(seat)
            view["legal"] = list(self.legal_actions(seat))
        return view

    def resample(self, seat: int, rng: Rng) -> Any:
        known = [self.cards[s] for s in range(len(self.cards)) if s == seat or s in self.shown]
        pool = [card for card in NAMES[:DECK] if card not in known]
        mixed = iter([pool[i] for i in rng.permutation(len(pool))])
        world = type(self)(self.game, self.pot)
        for actor, action in self.entries:
            if action.startswith("deal "):
                place = len(world.cards)
                keep = place == seat or place in self.shown
                world.apply(actor, f"deal {self.cards[place] if keep else next(mixed)}")
            elif action.startswith("bid") and len(self.bids) < SEATS and actor != seat:
                world.apply(actor, f"bid {1 + rng.below(3)}")
            else:
                world.apply(actor, action)
        return world

    def outcome(self) -> Outcome:
        deltas = [0] * SEATS
        if self.result == "finished":
            top = max(self.bids, key=lambda seat: (self.bids[seat], -seat))
            deltas[top] -= self.bids[top]
            if self.snapper is not None:
                deltas[self.snapper] += 1
        change = -sum(deltas)
        carry = {"pot": self.pot + change}
        return Outcome(self.result or "", tuple(deltas), (0,) * SEATS, change, carry, None)

    def log(self) -> Sequence[tuple[int, Move]]:
        return self.entries

    def dump(self) -> bytes:
        return json.dumps([self.pot, self.entries]).encode()

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Any:
        other = type(self)(self.game, self.pot)
        other.cards, other.shown = list(self.cards), list(self.shown)
        other.bids, other.entries = dict(self.bids), list(self.entries)
        other.snapper, other.result = self.snapper, self.result
        return other


class ShowsPendingBids(SealedState):
    """A view that tells the bids before all are in, while the events keep them."""

    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"bids": sorted(self.bids.items())}


class FixesPendingBids(ShowsPendingBids):
    """The same, and its sampled worlds have the real bids: they cannot tell."""

    def resample(self, seat: int, rng: Rng) -> Any:
        world = super().resample(seat, rng)
        world.bids = dict(self.bids)
        dealt = [entry for entry in world.entries if not entry[1].startswith("bid")]
        world.entries = dealt + [e for e in self.entries if e[1].startswith("bid")]
        return world


class AsksOnlyWhoHasCards(SealedState):
    """During the deal nobody tells chance when to go on."""

    def deadlines(self) -> tuple[Deadline, ...]:
        return tuple(d for d in super().deadlines() if d.seat != CHANCE)


class LeavesOneWaiting(SealedState):
    """A seat that all wait for has no clock."""

    def deadlines(self) -> tuple[Deadline, ...]:
        return super().deadlines()[:1]


class FirstComeFirstServed(SealedState):
    def order_claims(self, claims: Sequence[tuple[int, Move]]) -> Sequence[tuple[int, Move]]:
        return claims


class ClaimsTooMuch(SealedState):
    def claims(self, seat: int) -> Sequence[Move]:
        return ("snap",) if self.phase() == "snap" else ()

    def is_legal(self, seat: int, action: Move) -> bool:
        return super().is_legal(seat, action) and (action != "snap" or seat == 1)


class OverdrawsThePot(SealedState):
    def outcome(self) -> Outcome:
        outcome = super().outcome()
        if self.snapper is None:
            return outcome
        deltas = tuple(d + 3 * (s == self.snapper) for s, d in enumerate(outcome.deltas))
        return outcome._replace(deltas=deltas, pot_change=-sum(deltas))


class CarriesTuples(SealedState):
    """Plays on only if its carry was never JSON in between."""

    def __init__(self, game: SealedBids, pot: Any) -> None:
        super().__init__(game, pot[0] if isinstance(pot, tuple) else pot)

    def outcome(self) -> Outcome:
        outcome = super().outcome()
        return outcome._replace(carry={"pot": (outcome.carry["pot"],)})


BROKEN = (
    (ShowsPendingBids, "hidden information"),
    (FixesPendingBids, "hidden information"),
    (AsksOnlyWhoHasCards, "clock"),
    (LeavesOneWaiting, "clock"),
    (FirstComeFirstServed, "claims"),
    (ClaimsTooMuch, "claims"),
    (OverdrawsThePot, "outcome"),
    (CarriesTuples, "record"),
)
"""With the promise that each breaks."""
