"""What a phase of a hand is: who may do what, what it does, and which phase follows.

Phases are stateless and shared; the hand's data is in the state that they are given. A rule
set is, besides its claims, trick rules and scoring, a list of phases.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from paiju.rules.api import Event, IllegalAction
from paiju.rules.tricks import Lead, TrickRules
from paiju.rules.tricks.packs import covers, text_of

if TYPE_CHECKING:
    from games.shengji.claims import Claims
    from games.shengji.state import State


class Sight(NamedTuple):
    """What legal actions go by: it is the same whether taken from a state or from a view."""

    phase: str
    seat: int
    hand: int
    rules: TrickRules | None
    claims: Claims
    claim: int
    named: int
    claimer: int
    lead: Lead | None
    unseen: int
    """Cards that others may hold."""
    owed: int
    under: int
    """Cards of the bottom."""
    swappable: int
    """How many jokers may still be swapped into it."""


class Phase:
    """Base. then: name of the phase that follows."""

    name: ClassVar[str]
    verbs: ClassVar[tuple[int, ...]]
    """What may be done in it; anything else is refused as out of place."""
    together: ClassVar[bool] = False
    """All seats of the queue may act, not only the first."""
    during_deal: ClassVar[bool] = False
    """Seats may act while cards are being dealt."""

    def __init__(self, *, then: str) -> None:
        self.then = then

    def enter(self, state: State) -> list[Event]:
        """Fill the queue, or go on at once when there is nothing to do."""
        raise NotImplementedError

    def check(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> None:
        """IllegalAction unless the seat, whose turn it is, may do this with one of `verbs`."""
        raise NotImplementedError

    def act(self, state: State, seat: int, verb: int, cards: int, suit: int | None) -> list[Event]:
        """Do what was checked."""
        raise NotImplementedError

    def dealt(self, state: State) -> list[Event]:
        """The last card has been dealt; only phases during a deal are told."""
        raise NotImplementedError

    def default(self, state: State, seat: int) -> int:
        """What a time-out plays."""
        raise NotImplementedError

    def actions(self, sight: Sight) -> Sequence[int]:
        """Legal actions worth a thought, in canonical order, each once."""
        raise NotImplementedError

    def on(self, state: State) -> list[Event]:
        """Go on to the next phase."""
        return state.enter(self.then)


def need_cards(state: State, seat: int, cards: int) -> None:
    """IllegalAction unless the seat holds them all."""
    hand = state.hands[seat]
    if not covers(hand, cards):
        raise IllegalAction("not_in_hand", cards=text_of(cards))
