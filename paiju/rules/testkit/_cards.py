"""Cards as they can be seen from outside, through the eyes of all seats.

The kit knows no game, but all games write cards alike (`3s Td BJ`). What stands in a seat's
view and not in the spectator's is that seat's pile, except under the key `peek`: these are
cards that lie elsewhere. The texts of chance say what was dealt.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

import msgspec

from paiju.rules import views
from paiju.rules.api import CHANCE, SPECTATOR, Event, State
from paiju.rules.cards import NAMES
from paiju.rules.views import Parts

if TYPE_CHECKING:
    from paiju.rules.testkit._hand import Hand

Pile = Counter[str]
"""Cards by name; never changed after it is made."""
OWN = "hand"
"""Key of a seat's own cards in its view, by convention."""
_NAMES = frozenset(NAMES)
_ONE = b"(?:[3-9TJQKA2][dchs]|BJ|RJ)"
_TEXTS = re.compile(b'"(' + _ONE + b"(?: " + _ONE + b')*)"')
_PEEK = "peek"
_NOTHING: Pile = Counter()
_SMALL = 2
_FEW = 6


@lru_cache(1 << 14)
def named_in(json_text: bytes) -> Pile:
    """The cards in a JSON value: its texts that are nothing but names of cards."""
    return Counter(b" ".join(_TEXTS.findall(json_text)).decode().split())


def words_of(text: str) -> Pile:
    """The cards that the line of an action names."""
    return Counter(word for word in text.split(" ") if word in _NAMES)


def shown_in(view: Parts) -> Pile:
    """What a viewer sees now; a card that stands under two keys is one card."""
    found: Pile = Counter()
    for text in view.values():
        named = named_in(text)
        if named:
            found |= named
    return found


def pile_of(mine: Parts, public: Parts) -> Pile:
    """What a seat sees and a spectator does not."""
    found = _NOTHING
    for key, text in mine.items():
        common = public.get(key, b"")
        if common != text and key != _PEEK:
            named = named_in(text)
            if named and common:
                named = named - named_in(common)
            if named:
                found = found | named if found else named
    return found


def own_of(mine: Parts, public: Parts) -> Pile:
    """A seat's own cards: under `hand` if it has that key, else all that only it sees (which
    may also be knowledge of other seats' cards)."""
    if OWN in mine:
        return named_in(mine[OWN]) if public.get(OWN) != mine[OWN] else _NOTHING
    return pile_of(mine, public)


def piles_of(state: State, seats: int) -> list[Pile]:
    """What each seat sees and a spectator does not."""
    viewers = (*range(seats), SPECTATOR)
    return piles_in({viewer: views.encode(state.view(viewer)) for viewer in viewers}, seats)


def piles_in(screens: Mapping[int, Parts], seats: int) -> list[Pile]:
    """The same, of views by viewer."""
    return [pile_of(screens[seat], screens[SPECTATOR]) for seat in range(seats)]


def dealt_in(hand: Hand, state: State) -> Pile:
    """All cards that chance has named so far."""
    found: Pile = Counter()
    for seat, action in state.log():
        if seat == CHANCE:
            found += words_of(hand.game.format(action))
    return found


class Books:
    """Keeps account of the cards of a hand: none appears twice, none goes unseen."""

    def __init__(self, hand: Hand) -> None:
        self._hand = hand
        self._dealt: Pile = Counter()
        self._held: Pile = Counter()

    def follow(
        self, screens: Mapping[int, Parts], seat: int, text: str, events: Sequence[Event]
    ) -> None:
        """After an action: `screens` by viewer, the action and what was told of it."""
        if seat == CHANCE:
            self._dealt += words_of(text)
        public = screens[SPECTATOR]
        held: Pile = Counter()
        for viewer, view in screens.items():
            if viewer != SPECTATOR:
                held.update(own_of(view, public))
        if not held <= self._dealt:
            extra = " ".join((held - self._dealt).elements())
            self._hand.fail("cards", f"held, but not dealt (so often): {extra}")
        gone = self._held - held
        if gone:
            told = words_of(text) | shown_in(public)
            for event in events:
                told |= named_in(msgspec.json.encode(event.data))
            if not gone <= told:
                lost = " ".join((gone - told).elements())
                self._hand.fail("cards", f"gone, and nothing says where: {lost}")
        self._held = held


def hidden_from(viewer: int, view: Parts, piles: Sequence[Pile]) -> dict[int, Pile]:
    """Seat -> the cards of its pile that the viewer does not see."""
    seen = shown_in(view)
    if viewer != SPECTATOR:
        seen -= piles[viewer]
    hidden = {seat: pile - seen for seat, pile in enumerate(piles) if seat != viewer}
    return {seat: pile for seat, pile in hidden.items() if pile}


def count_difference(
    hand: Hand, viewer: int, view: Parts, piles: Sequence[Pile], world: State
) -> None:
    """Enter into the report whether the sampled world is another one for the viewer."""
    hidden = hidden_from(viewer, view, piles)
    kinds: Pile = Counter()
    for pile in hidden.values():
        kinds |= pile
    if len(kinds) < _SMALL or (len(hidden) < _SMALL and hand.seats > _SMALL):
        return  # the viewer can tell who holds what
    theirs = piles_of(world, hand.seats)
    differ = [theirs[seat] != piles[seat] for seat in hidden]
    report = hand.report
    report.worlds += 1
    report.worlds_differ += any(differ)
    if sum(pile.total() for pile in hidden.values()) >= _FEW:
        large = [pile.total() >= _SMALL for pile in hidden.values()]
        report.piles += sum(large)
        report.piles_differ += sum(d and big for d, big in zip(differ, large, strict=True))
