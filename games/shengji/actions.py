"""Actions of the family: verb, named suit and cards packed into one integer, and their text.

`verb | suit << 4 | cards << 8`; suit 0: none named, 1..4: d c h s. The pack as it was
shuffled is a tuple (first seat, cards in the order of dealing).
"""

from __future__ import annotations

from paiju.rules.api import CHANCE, IllegalAction
from paiju.rules.cards import NAMES, SUITS, parse_card
from paiju.rules.tricks.packs import SIZE_BYTES, parse_set, text_of

SEATS = 4

Pack = tuple[int, bytes]
Move = int | Pack

VERBS = (
    "pass",
    "declare",
    "counter",
    "reinforce",
    "self_counter",
    "take_bottom",
    "bury",
    "counter_bottom",
    "tribute",
    "return_tribute",
    "swap_joker",
    "play",
    "throw",
    "escape",
    "deal",
)
(
    PASS,
    DECLARE,
    COUNTER,
    REINFORCE,
    SELF_COUNTER,
    TAKE_BOTTOM,
    BURY,
    COUNTER_BOTTOM,
    TRIBUTE,
    RETURN_TRIBUTE,
    SWAP_JOKER,
    PLAY,
    THROW,
    ESCAPE,
    DEAL,
) = range(len(VERBS))
"""deal: the next so many rounds, a card to each seat in turn."""

CLAIMS = (DECLARE, COUNTER, REINFORCE, SELF_COUNTER)
_BARE = (PASS, TAKE_BOTTOM, ESCAPE)
_NUMBERS = {name: number for number, name in enumerate(VERBS)}
_ROUNDS_MAX = 99


def with_cards(verb: int, cards: int, suit: int | None = None) -> int:
    """The action; suit: the one that is named, if any."""
    return verb | (0 if suit is None else suit + 1) << 4 | cards << 8


def verb_of(action: int) -> int:
    return action & 15


def suit_named(action: int) -> int | None:
    named = action >> 4 & 15
    return named - 1 if named else None


def cards_in(action: int) -> int:
    return action >> 8


def parse(seat: int, text: str) -> Move:
    """IllegalAction("syntax") for what is no line of this family."""
    word, _, rest = text.partition(" ")
    verb = _NUMBERS.get(word)
    try:
        if seat == CHANCE and word == "shuffle":
            first, _, cards = rest.partition(" / ")
            return int(first), bytes(parse_card(name) for name in cards.split())
        if verb == DEAL:
            return _parse_deal(seat, rest)
        if verb in _BARE:
            if not text.isalpha() and text != VERBS[TAKE_BOTTOM]:
                raise ValueError(text[:40])
            return verb
        if verb is not None and rest:
            return _parse_cards(verb, rest)
    except ValueError as error:
        raise IllegalAction("syntax", detail=str(error)[:80]) from None
    raise IllegalAction("syntax", detail=text[:40])


def _parse_deal(seat: int, rest: str) -> int:
    if seat != CHANCE or not rest.isascii() or not rest.isdigit() or rest[0] == "0":
        raise ValueError("only the table deals")
    if len(rest) > len(str(_ROUNDS_MAX)):
        raise ValueError("too many rounds")
    return with_cards(DEAL, int(rest))


def _parse_cards(verb: int, rest: str) -> int:
    names, suit = rest, None
    head, _, last = rest.rpartition(" ")
    if verb in CLAIMS and last in SUITS and len(last) == 1:
        names, suit = head, SUITS.index(last)
    cards = parse_set(names)
    if not cards:
        raise ValueError("no cards are named")
    return with_cards(verb, cards, suit)


def format_(action: Move) -> str:
    if isinstance(action, tuple):
        first, cards = action
        return f"shuffle {first} / " + " ".join(NAMES[card] for card in cards)
    verb, cards_or_rounds = verb_of(action), cards_in(action)
    if verb == DEAL:
        return f"deal {cards_or_rounds}"
    text = VERBS[verb]
    if cards_or_rounds:
        text = f"{text} {text_of(cards_or_rounds)}"
    suit = suit_named(action)
    return text if suit is None else f"{text} {SUITS[suit]}"


def packed(action: Move) -> bytes | list[bytes]:
    """For snapshots: bytes of a set of cards and its verb, or of the pack."""
    if isinstance(action, tuple):
        return [bytes([action[0]]), action[1]]
    return action.to_bytes(SIZE_BYTES + 1, "big") if action >> 8 else bytes([action])


def unpacked(data: bytes | list[bytes]) -> Move:
    if isinstance(data, list):
        first, cards = data
        return first[0], bytes(cards)
    return int.from_bytes(data, "big")
