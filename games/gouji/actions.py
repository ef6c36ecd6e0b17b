"""Actions and their text.

An action is an integer: a verb, for those that name cards plus the set of cards shifted by
eight bits. A deal is a tuple of six sets. `lead N` is chance's: who leads when nobody showed.
"""

from __future__ import annotations

from games.gouji import deck
from paiju.rules.api import CHANCE, IllegalAction

Deal = tuple[int, ...]
Move = int | Deal

SEATS = 6

PASS, REVOLUTION, WANT_HEAD, NO_HEAD = 0, 1, 2, 3
ASK_THREE, AUTO_REVOLUTION, ANNOUNCE, YIELD = 4, 5, 6, 7
ESCAPE = 15
PLAY, BURN, TRIBUTE, RETURN, BUY, SHOW = 16, 17, 18, 19, 20, 21
LEAD = 32
"""LEAD + seat."""

_PLAIN = {
    "pass": PASS,
    "revolution": REVOLUTION,
    "want_head": WANT_HEAD,
    "no_head": NO_HEAD,
    "ask_three": ASK_THREE,
    "auto_revolution": AUTO_REVOLUTION,
    "announce_point": ANNOUNCE,
    "yield": YIELD,
    "escape": ESCAPE,
    **{f"lead {seat}": LEAD + seat for seat in range(SEATS)},
}
_WITH_CARDS = {
    "play": PLAY,
    "burn": BURN,
    "tribute": TRIBUTE,
    "return_tribute": RETURN,
    "buy_three": BUY,
    "show_lead": SHOW,
}
_LINES = {verb: line for line, verb in _PLAIN.items()}
_VERBS = {verb: name for name, verb in _WITH_CARDS.items()}


def with_cards(verb: int, cards: int) -> int:
    """The action that does this with these cards."""
    return cards << 8 | verb


def parse(seat: int, text: str) -> Move:
    """IllegalAction("syntax") says what is not understood."""
    plain = _PLAIN.get(text)
    if plain is not None:
        return plain
    name, _, rest = text.partition(" ")
    try:
        if name in _WITH_CARDS and rest:
            return with_cards(_WITH_CARDS[name], deck.parse_set(rest))
        if name == "deal" and seat == CHANCE:
            return tuple(deck.parse_set(hand) for hand in rest.split(" / "))
    except ValueError as error:
        raise IllegalAction("syntax", detail=str(error)) from None
    raise IllegalAction("syntax", detail=text[:40])


def format_(action: Move) -> str:
    """The canonical line."""
    if isinstance(action, tuple):
        return "deal " + " / ".join(deck.text_of(hand) for hand in action)
    if action < 256:
        return _LINES[action]
    return f"{_VERBS[action & 0xFF]} {deck.text_of(action >> 8)}"
