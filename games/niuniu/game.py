"""What the three bull games do alike: arrangements, the two steps of chance, their text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, TypeVar

from games.niuniu.bulls import DECK, HAND, Bulls, points_of
from games.niuniu.messages import TEXTS
from paiju.rules.api import CHANCE, Event, IllegalAction, Rng
from paiju.rules.cards import mask_of, names_of, parse_cards
from paiju.rules.showdown import ARGUMENT, Action, RoundGame, RoundState

ARRANGE = ARGUMENT
"""`cards << 8 | ARRANGE`: these three are the first group."""
BET = ARGUMENT + 1
"""`amount << 8 | BET`, in the game with chips."""
HINT = 2
"""Let the system arrange, in the same game."""
FIRST = "first"
"""(FIRST, seat): nature names the banker, or who may bid first."""
DEAL = "deal"
"""(DEAL, hands): five cards to each seat that gets any."""

S = TypeVar("S", bound=RoundState)


def arrange(cards: int) -> int:
    return cards << 8 | ARRANGE


class BullState(RoundState):
    """One hand. Begins with (FIRST, seat) while the stage is "first"; deals in stage "deal".

    first: the seat that nature named, -1 before. hands: sets of cards, 0 before the deal.
    """

    _SAVED: ClassVar[tuple[str, ...]] = (*RoundState._SAVED, "first", "hands")
    __slots__ = ("first", "hands")

    carried: ClassVar[str]
    """Key of `carry` that names the seat; without it nature draws."""
    game: BullGame[Any]
    hands: list[int]

    def __init__(
        self,
        game: BullGame[Any],
        seats: int,
        wealth: tuple[int, ...] | None,
        carry: Mapping[str, Any],
    ) -> None:
        super().__init__(game, seats, wealth, carry)
        self.stage = "first"
        self.first = -1
        self.hands = [0] * seats

    def _named(self, seat: int) -> list[Event]:
        """The seat is named; go on."""
        raise NotImplementedError

    def _dealt(self) -> list[Event]:
        """The cards are dealt; go on."""
        raise NotImplementedError

    def gets_cards(self, seat: int) -> bool:
        """Whether a seat is dealt to."""
        return True

    # ---- chance ----------------------------------------------------------------------------

    def sample_chance(self, rng: Rng) -> Action:
        if self.stage == "first":
            carried = self._carried()
            return FIRST, rng.below(self.seats) if carried is None else carried
        return DEAL, self._hands_from(rng.permutation(DECK))

    def _hands_from(self, order: Sequence[int]) -> tuple[int, ...]:
        """Five cards each from the front of a shuffled deck."""
        hands, start = [], 0
        for size in self._sizes():
            hands.append(mask_of(order[start : start + size]))
            start += size
        return tuple(hands)

    def _sizes(self) -> list[int]:
        """Cards of each seat."""
        return [HAND if self.gets_cards(seat) else 0 for seat in range(self.seats)]

    def _carried(self) -> int | None:
        seat = self.carry.get(self.carried)
        return seat if isinstance(seat, int) and 0 <= seat < self.seats else None

    def _check_chance(self, action: tuple[Any, ...]) -> None:
        what, value = action
        if what != (FIRST if self.stage == "first" else DEAL):
            raise IllegalAction("wrong_phase")
        if what == FIRST:
            carried = self._carried()
            right = 0 <= value < self.seats if carried is None else value == carried
        else:
            sizes = [hand.bit_count() for hand in value]
            whole = 0
            for hand in value:
                whole |= hand
            right = (
                sizes == self._sizes() and whole.bit_count() == sum(sizes) and whole >> DECK == 0
            )
        if not right:
            raise IllegalAction("bad_deal")

    def _chance(self, action: tuple[Any, ...]) -> list[Event]:
        what, value = action
        if what == FIRST:
            self.first = value
            return self._named(value)
        self.hands = list(value)
        events = [
            Event("deal", {"hand": names_of(hand)}, (seat,), None)
            for seat, hand in enumerate(self.hands)
        ]
        return events + self._dealt()

    def redealt(self, known: list[bool], rng: Rng) -> tuple[int, ...]:
        """The hands with every one that is not known dealt anew from the cards not seen."""
        seen = 0
        for hand, shown in zip(self.hands, known, strict=True):
            seen |= hand if shown else 0
        unseen = [card for card in range(DECK) if not seen >> card & 1]
        order = [unseen[place] for place in rng.permutation(len(unseen))]
        hands, start = list(self.hands), 0
        for seat, shown in enumerate(known):
            size = 0 if shown else hands[seat].bit_count()
            if size:
                hands[seat] = mask_of(order[start : start + size])
                start += size
        return tuple(hands)

    # ---- arranging -------------------------------------------------------------------------

    def _check_three(self, seat: int, cards: int) -> None:
        """IllegalAction unless these are three of the seat's cards that make 10, 20 or 30."""
        missing = cards & ~self.hands[seat]
        if missing:
            raise IllegalAction("not_in_hand", cards=" ".join(names_of(missing)))
        if cards.bit_count() != 3:
            raise IllegalAction("three_cards")
        points = points_of(cards)
        if points % 10:
            raise IllegalAction("no_tens", points=points)

    def _turns(self) -> tuple[int, ...]:
        return (CHANCE,)


class BullGame(RoundGame[S]):
    """Base of the bull games. first_word: how a line calls the seat that nature names."""

    bulls: ClassVar[Bulls]
    first_word: ClassVar[str]
    texts = TEXTS

    def _parsed(self, verb: str, rest: str) -> int | None:
        return arrange(mask_of(parse_cards(rest))) if verb == "arrange" else None

    def _parsed_chance(self, verb: str, rest: str) -> tuple[Any, ...] | None:
        if verb == self.first_word:
            return FIRST, int(rest)
        if verb == "deal":
            return DEAL, tuple([mask_of(parse_cards(hand)) for hand in rest.split("/")])
        return None

    def _formatted(self, action: Action) -> str:
        if isinstance(action, int):
            return "arrange " + " ".join(names_of(action >> 8))
        what, value = action
        if what == FIRST:
            return f"{self.first_word} {value}"
        return "deal " + " / ".join(" ".join(names_of(hand)) for hand in value)
