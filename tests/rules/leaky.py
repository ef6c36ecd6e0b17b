"""A tiny honest game, and games made from it that leak or cheat: the kit must catch each.

High card: two seats get one hidden card each of a deck of six; each in turn says `stay` or
`fold`; the higher card wins what the other staked. Cards are shown only if both stay.

Each leak has an honest twin, which uses the same channel for what the viewer may know: the
kit must let it pass.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping, Sequence
from typing import Any

from paiju.rules.api import (
    CHANCE,
    Deadline,
    Event,
    GameId,
    IllegalAction,
    Info,
    Outcome,
    Rng,
)
from paiju.rules.cards import NAMES

STAY, FOLD, LEAVE = 0, 1, 2
TEXTS = {STAY: "stay", FOLD: "fold", LEAVE: "leave"}


class HighCard:
    name = "high_card"
    id = GameId("high_card", 1, "{}")
    info = Info(2, 2, False, False, False, True, True, 4)
    title: Mapping[str, str] = {"en": "High card", "zh": "比大小"}
    parameters: Mapping[str, Any] = {}
    state_class: type[HighCardState]

    def new_state(
        self,
        seats: int,
        *,
        wealth: Sequence[int] | None = None,
        carry: Mapping[str, Any] | None = None,
    ) -> Any:
        return self.state_class(self, carry)

    def load(self, blob: bytes) -> Any:
        carry, entries = json.loads(blob)
        state = self.state_class(self, carry)
        for seat, text in entries:
            state.apply(seat, self.parse(state, seat, text))
        return state

    def parse(self, state: Any, seat: int, text: str) -> Any:
        for action, known in TEXTS.items():
            if text == known:
                return action
        words = text.split(" ")
        if words[0] == "deal" and len(words) == 3 and seat == CHANCE:
            return (NAMES.index(words[1]), NAMES.index(words[2]))
        raise IllegalAction("syntax")

    def format(self, action: Any) -> str:
        if isinstance(action, tuple):
            return f"deal {NAMES[action[0]]} {NAMES[action[1]]}"
        return TEXTS[action]

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return f"{code}."

    def legal_in_view(self, view: Mapping[str, Any]) -> Sequence[Any]:
        return (STAY, FOLD) if view.get("legal") else ()

    def bot(self) -> Any:
        raise NotImplementedError


class HighCardState:
    def __init__(self, game: HighCard, carry: Mapping[str, Any] | None) -> None:
        self.game = game
        self.carry = dict(carry or {})
        self.cards: tuple[int, int] | None = None
        self.turn = CHANCE
        self.said: list[int] = []
        self.over = False
        self.left: int | None = None
        self.entries: list[tuple[int, Any]] = []

    def to_act(self) -> tuple[int, ...]:
        return () if self.over else (self.turn,)

    def phase(self) -> str:
        return "deal" if self.cards is None else "play"

    def deadlines(self) -> tuple[Deadline, ...]:
        return () if self.over or self.turn == CHANCE else (Deadline(self.turn, "play"),)

    def is_terminal(self) -> bool:
        return self.over

    def is_legal(self, seat: int, action: Any) -> bool:
        if self.over:
            return False
        if isinstance(action, tuple):
            return seat == CHANCE == self.turn and action[0] != action[1]
        if action == LEAVE:
            return self.cards is not None and seat >= 0
        return seat == self.turn and seat != CHANCE

    def refuse(self, seat: int, action: Any) -> None:
        raise IllegalAction("not_now")

    def canonical(self, seat: int, action: Any) -> Any:
        return action

    def legal_actions(self, seat: int) -> Sequence[Any]:
        return (STAY, FOLD) if seat == self.turn and not self.over and seat >= 0 else ()

    def default_action(self, seat: int) -> Any:
        return FOLD

    def apply(self, seat: int, action: Any) -> list[Event]:
        if not self.is_legal(seat, action):
            self.refuse(seat, action)
        self.entries.append((seat, action))
        if isinstance(action, tuple):
            self.cards, self.turn = action, 0
            return self.dealt()
        if action == LEAVE:
            self.over, self.left = True, seat
            return [Event("leave", {"seat": seat})]
        self.said.append(action)
        self.turn = 1
        self.over = len(self.said) == 2
        return [Event("say", {"seat": seat, "what": TEXTS[action]})]

    def dealt(self) -> list[Event]:
        assert self.cards is not None
        return [
            Event("deal", {"card": NAMES[card]}, (seat,)) for seat, card in enumerate(self.cards)
        ]

    def abandon(self, seat: int, reason: str) -> list[Event]:
        return self.apply(seat, LEAVE)

    def sample_chance(self, rng: Rng) -> Any:
        return tuple(rng.permutation(6)[:2])

    def view(self, seat: int) -> dict[str, Any]:
        view: dict[str, Any] = {"said": list(self.said), "to_act": list(self.to_act())}
        if self.cards is not None and seat >= 0:
            view["card"] = NAMES[self.cards[seat]]
            view["legal"] = [TEXTS[a] for a in self.legal_actions(seat)]
        if self.is_open() and self.cards:
            view["cards"] = [NAMES[card] for card in self.cards]
        return view

    def is_open(self) -> bool:
        return self.said == [STAY, STAY]

    def resample(self, seat: int, rng: Rng) -> Any:
        world = self.clone()
        if self.cards is not None and not self.is_open():
            order = rng.permutation(6)
            if seat >= 0:
                mine = self.cards[seat]
                other = next(card for card in order if card != mine)
                cards = (mine, other) if seat == 0 else (other, mine)
            else:
                cards = (order[0], order[1])
            world.cards = cards
            world.entries[0] = (CHANCE, cards)
        return world

    def hint(self, seat: int) -> Any:
        return STAY

    def outcome(self) -> Outcome:
        assert self.cards is not None
        if self.left is not None:
            deltas = (-1, 1) if self.left == 0 else (1, -1)
        elif self.said.count(STAY) == 1:
            deltas = (1, -1) if self.said[0] == STAY else (-1, 1)
        elif self.said.count(STAY) == 2:
            deltas = (1, -1) if self.cards[0] > self.cards[1] else (-1, 1)
        else:
            deltas = (0, 0)
        return Outcome("finished", deltas, (0, 0), 0, self.carried(), None)

    def carried(self) -> dict[str, Any]:
        return {"hands": self.carry.get("hands", 0) + 1}

    def log(self) -> Sequence[tuple[int, Any]]:
        return self.entries

    def dump(self) -> bytes:
        entries = [(seat, self.game.format(a)) for seat, a in self.entries]
        return json.dumps([self.carry, entries]).encode()

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(self.dump(), digest_size=8).digest(), "big")

    def clone(self) -> Any:
        other = type(self)(self.game, None)
        other.__dict__.update(self.__dict__)
        other.said, other.entries = list(self.said), list(self.entries)
        return other


HighCard.state_class = HighCardState


def game_of(state_class: type[HighCardState]) -> HighCard:
    """High card played with another state class."""
    game = LeakInSnapshotGame() if state_class is LeakInSnapshot else HighCard()
    game.state_class = state_class  # type: ignore[misc]
    return game


def high(state: HighCardState) -> bool:
    """A secret that no seat knows alone: whether the 4c, the best card, is out."""
    return state.cards is not None and max(state.cards) == 5


class LeakInView(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"peek": self.cards[1] if self.cards else None}


class TwinInView(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        mine = self.cards[seat] if self.cards and seat >= 0 else None
        return super().view(seat) | ({"peek": mine} if seat >= 0 else {})


class LeakInEvent(HighCardState):
    def dealt(self) -> list[Event]:
        return [*super().dealt(), Event("sum", {"sum": sum(self.cards or ())})]


class TwinInEvent(HighCardState):
    def dealt(self) -> list[Event]:
        mine = [Event("value", {"of": card}, (s,), {}) for s, card in enumerate(self.cards or ())]
        return [*super().dealt(), *mine]


class LeakInCounter(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        high = sum(card > 2 for card in self.cards or ())
        return super().view(seat) | {"high_cards_out": high}


class TwinInCounter(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"cards_out": len(self.cards or ())}


class LeakInKeyOrder(HighCardState):
    """Equal as objects; what is told is which key comes first."""

    def view(self, seat: int) -> dict[str, Any]:
        marks = {"b": 1, "a": 0} if high(self) else {"a": 0, "b": 1}
        return super().view(seat) | {"marks": marks}


class TwinInKeyOrder(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        marks = {"b": 1, "a": 0} if len(self.said) == 1 else {"a": 0, "b": 1}
        return super().view(seat) | {"marks": marks}


class LeakInOrderOfParts(HighCardState):
    """The same in an event: key order of its data."""

    def dealt(self) -> list[Event]:
        data = {"b": 1, "a": 0} if high(self) else {"a": 0, "b": 1}
        return [*super().dealt(), Event("marks", data)]


class LeakInListLength(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"backs": ["?"] * (self.cards[0] if self.cards else 0)}


class TwinInListLength(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | {"backs": ["?"] * len(self.cards or ())}


class LeakInErrorText(HighCardState):
    def refuse(self, seat: int, action: Any) -> None:
        raise IllegalAction("not_now", best=max(self.cards or (0,)))


class TwinInErrorText(HighCardState):
    def refuse(self, seat: int, action: Any) -> None:
        mine = self.cards[seat] if self.cards and 0 <= seat < 2 else None
        raise IllegalAction("not_now", mine=mine)


class LeakInLegalActions(HighCardState):
    def legal_actions(self, seat: int) -> Sequence[Any]:
        return super().legal_actions(seat)[:: -1 if high(self) else 1]


class TwinInLegalActions(HighCardState):
    def legal_actions(self, seat: int) -> Sequence[Any]:
        best = self.cards is not None and 0 <= seat < 2 and self.cards[seat] == 5
        return super().legal_actions(seat)[:: -1 if best else 1]


class LeakInMoment(HighCardState):
    """When a default action is played depends on hidden cards."""

    def deadlines(self) -> tuple[Deadline, ...]:
        return tuple(d._replace(key="slow" if high(self) else "fast") for d in super().deadlines())


class TwinInMoment(HighCardState):
    def deadlines(self) -> tuple[Deadline, ...]:
        key = "second" if self.said else "first"
        return tuple(d._replace(key=key) for d in super().deadlines())


class LeakInSnapshot(HighCardState):
    """A table that was restored shows more than the one that was saved."""

    restored = False

    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | ({"last_deal": self.cards} if self.restored else {})


class LeakInSnapshotGame(HighCard):
    def load(self, blob: bytes) -> Any:
        state = super().load(blob)
        state.restored = True
        return state


class TwinInSnapshot(HighCardState):
    """Restored or not: the seat's own card, kept apart."""

    def view(self, seat: int) -> dict[str, Any]:
        mine = self.cards[seat] if self.cards and seat >= 0 else None
        return super().view(seat) | ({"last_deal": mine} if seat >= 0 else {})


class LeakInCarry(HighCardState):
    """A folded card stays secret, unless the next hand is told of it."""

    def carried(self) -> dict[str, Any]:
        return {"best": max(self.cards or (0,))}


class TwinInCarry(HighCardState):
    def carried(self) -> dict[str, Any]:
        return {"best": max(self.cards)} if self.cards and self.is_open() else {}


class LeakInDefaultAction(HighCardState):
    def default_action(self, seat: int) -> Any:
        assert self.cards is not None
        return STAY if self.cards[seat] == max(self.cards) else FOLD


class LeakInHint(HighCardState):
    def hint(self, seat: int) -> Any:
        return STAY if self.cards and self.cards[seat] == max(self.cards) else FOLD


class LeakInPhase(HighCardState):
    def phase(self) -> str:
        return "high" if high(self) else super().phase()


class SpectatorSeesMore(HighCardState):
    """No secret at all, and yet a seat would lack what is on a spectator's screen."""

    def view(self, seat: int) -> dict[str, Any]:
        return super().view(seat) | ({"crowd": 1} if seat < 0 else {})


class NamesNoButton(HighCardState):
    """A client still finds its actions, but a button is missing."""

    def view(self, seat: int) -> dict[str, Any]:
        view = super().view(seat)
        return view | ({"legal": view["legal"][:1]} if view.get("legal") else {})


class LetsSeatsDeal(HighCardState):
    def is_legal(self, seat: int, action: Any) -> bool:
        deals = isinstance(action, tuple) and self.turn == CHANCE and not self.over
        return super().is_legal(CHANCE if deals else seat, action)


class HashesTooLong(HighCardState):
    def hash(self) -> int:
        return super().hash() << 8


class AsksBothAtOnce(HighCardState):
    """The information of the game says that one seat acts after the other."""

    def to_act(self) -> tuple[int, ...]:
        acting = super().to_act()
        return acting if acting in ((), (CHANCE,)) else (0, 1)


class LosesPoints(HighCardState):
    def outcome(self) -> Outcome:
        outcome = super().outcome()
        return outcome._replace(deltas=(outcome.deltas[0], 0))


class ForgetsInDump(HighCardState):
    def dump(self) -> bytes:
        entries = [(seat, self.game.format(a)) for seat, a in self.entries[:2]]
        return json.dumps([self.carry, entries]).encode()

    def hash(self) -> int:
        return int.from_bytes(hashlib.blake2b(super().dump(), digest_size=8).digest(), "big")


class SharedClone(HighCardState):
    def clone(self) -> Any:
        other = super().clone()
        other.entries = self.entries
        return other


class ChangesWhenRefused(HighCardState):
    def refuse(self, seat: int, action: Any) -> None:
        self.entries.append((seat, FOLD))
        super().refuse(seat, action)


class AppliesWhatIsIllegal(HighCardState):
    """Anybody may speak for the other seat."""

    def apply(self, seat: int, action: Any) -> list[Event]:
        return super().apply(self.turn if action in (STAY, FOLD) else seat, action)


class IllegalDefault(HighCardState):
    def default_action(self, seat: int) -> Any:
        return (0, 1)


class ListsTooLittle(HighCardState):
    """Folding is legal but not offered."""

    def legal_actions(self, seat: int) -> Sequence[Any]:
        return super().legal_actions(seat)[:1]


class NeverEnds(HighCardState):
    def apply(self, seat: int, action: Any) -> list[Event]:
        events = super().apply(seat, action)
        if self.over and self.left is None:
            self.over, self.said, self.turn = False, [], 0
        return events


class ForgetsToLog(HighCardState):
    def apply(self, seat: int, action: Any) -> list[Event]:
        events = super().apply(seat, action)
        if seat == 1:
            self.entries.pop()
        return events


class DealsFromElsewhere(HighCardState):
    """The deck does not come from the committed secret."""

    _deals = itertools.count()

    def sample_chance(self, rng: Rng) -> Any:
        rng.permutation(6)
        return (next(self._deals) % 3, 3 + next(self._deals) % 3)


class PlaysOnAfterTheEnd(HighCardState):
    def legal_actions(self, seat: int) -> Sequence[Any]:
        return (STAY, FOLD) if seat == self.turn and seat >= 0 else ()


class GivesTheRealHand(HighCardState):
    """Sampled worlds are no others; nothing could be told apart by them."""

    def resample(self, seat: int, rng: Rng) -> Any:
        return self.clone()


class SamplesBadly(HighCardState):
    """Worlds differ, but the other seat never gets the best card."""

    def resample(self, seat: int, rng: Rng) -> Any:
        while True:
            world = super().resample(seat, rng)
            if seat < 0 or not high(world) or high(self):
                return world


class LosesACard(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        view = super().view(seat)
        if self.said == [STAY]:
            view.pop("card", None)
        return view


class DoublesACard(HighCardState):
    def view(self, seat: int) -> dict[str, Any]:
        view = super().view(seat)
        if self.said and self.cards and seat == 1:
            view["card"] = f"{view['card']} {NAMES[self.cards[0]]}"
        return view


LEAKY = (
    (LeakInView, TwinInView),
    (LeakInEvent, TwinInEvent),
    (LeakInCounter, TwinInCounter),
    (LeakInKeyOrder, TwinInKeyOrder),
    (LeakInListLength, TwinInListLength),
    (LeakInErrorText, TwinInErrorText),
    (LeakInLegalActions, TwinInLegalActions),
    (LeakInMoment, TwinInMoment),
    (LeakInSnapshot, TwinInSnapshot),
    (LeakInCarry, TwinInCarry),
)
"""The ten channels, with honest twins."""
MORE_LEAKS = (
    LeakInOrderOfParts,
    LeakInDefaultAction,
    LeakInHint,
    LeakInPhase,
    SpectatorSeesMore,
)
CHEATING = (
    (LosesPoints, "outcome"),
    (NamesNoButton, "client"),
    (LetsSeatsDeal, "legality"),
    (HashesTooLong, "hash"),
    (AsksBothAtOnce, "info"),
    (ForgetsInDump, "dump"),
    (SharedClone, "clone"),
    (ChangesWhenRefused, "refusal"),
    (AppliesWhatIsIllegal, "legality"),
    (IllegalDefault, "default"),
    (ListsTooLittle, "client"),
    (NeverEnds, "termination"),
    (ForgetsToLog, "log"),
    (DealsFromElsewhere, "record"),
    (PlaysOnAfterTheEnd, "the end"),
    (LosesACard, "cards"),
    (DoublesACard, "cards"),
)
"""With the promise that each breaks."""
