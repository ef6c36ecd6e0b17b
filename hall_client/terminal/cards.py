"""Cards as people type and see them.

Typed loosely: `33`, `3 3`, `3s3h`, `10 10`, `bj rj`, `♠3`, `小王`; letters of any size. What
is typed by rank alone is taken from the hand, lowest suits first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.text import Text

from paiju.rules.cards import NAMES

_ORDER = {name: number for number, name in enumerate(NAMES)}
_SYMBOLS = {"s": "♠", "h": "♥", "c": "♣", "d": "♦"}
_SUITS = {symbol: suit for suit, symbol in _SYMBOLS.items()}
_JOKERS = {"BJ": ("小王", "white"), "RJ": ("大王", "bold red")}
_BY_SUIT = {"s": 3, "h": 2, "c": 1, "d": 0}
_TOKEN = re.compile(
    r"(?P<rocket>王炸|火箭)|(?P<small>小王|BJ)|(?P<big>大王|RJ)"
    r"|(?P<before>[♠♥♣♦])?(?P<rank>10|[3-9TJQKA20])(?P<after>[SHCD♠♥♣♦])?",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[\s,，、.+\-]*")


class Unreadable(ValueError):
    """`text` is the part that is no card."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class NotHeld(ValueError):
    """`cards` are the typed ones that the hand does not have."""

    def __init__(self, cards: Sequence[str]) -> None:
        super().__init__(" ".join(cards))
        self.cards = list(cards)


def resolve(typed: str, hand: Sequence[str]) -> list[str]:
    """The cards of the hand that are meant, in the rules' order. Unreadable, NotHeld."""
    wanted = read(typed)
    if not wanted:
        raise Unreadable(typed.strip())
    left = sorted(hand, key=_ORDER.__getitem__)
    taken, missing = [], []
    for card in sorted(wanted, key=len, reverse=True):  # with their suit first
        found = next((c for c in left if c == card or c[0] == card), None)
        if found is None:
            missing.append(card)
        else:
            left.remove(found)
            taken.append(found)
    if missing:
        raise NotHeld(sorted(missing, key=lambda c: _rank_order(c)))
    return sorted(taken, key=_ORDER.__getitem__)


def read(typed: str) -> list[str]:
    """Card names ("3s", "BJ") and bare ranks ("3") as typed. Unreadable."""
    text = typed.strip()
    out: list[str] = []
    at = _skip(text, 0)
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise Unreadable(text[at:])
        if match["rocket"]:
            out += ["BJ", "RJ"]
        elif match["small"] or match["big"]:
            out.append("BJ" if match["small"] else "RJ")
        else:
            suit = match["before"] or match["after"] or ""
            rank = "T" if match["rank"] in ("10", "0") else match["rank"].upper()
            out.append(rank + _suit(suit))
        at = _skip(text, match.end())
    return out


def _skip(text: str, at: int) -> int:
    match = _BETWEEN.match(text, at)
    return match.end() if match else at


def _suit(text: str) -> str:
    return _SUITS.get(text, text.lower())


def _rank_order(card: str) -> int:
    return _ORDER.get(card, _ORDER.get(card + "d", 0))


def is_card(text: str) -> bool:
    """Whether it is the name of a card, as the rules write it."""
    return text in _ORDER


def by_suit(cards: Iterable[str], *, trump: str | None, level: str) -> list[list[str]]:
    """For games with trumps: those first, then suit by suit, each highest first.

    trump: the suit, "n" for none, None while it is not known. level: the rank that is trump.
    """
    groups: dict[str, list[str]] = {"trump": [], "s": [], "h": [], "c": [], "d": []}
    for card in sorted(cards, key=_ORDER.__getitem__, reverse=True):
        trumps = card in _JOKERS or card[0] == level or card[1] == trump
        groups["trump" if trumps else card[1]].append(card)
    groups["trump"].sort(key=lambda card: _trump_order(card, level, trump), reverse=True)
    return [group for group in groups.values() if group]


def _trump_order(card: str, level: str, trump: str | None) -> tuple[int, int, int]:
    if card in _JOKERS:
        return 2, _ORDER[card], 0
    if card[0] == level:
        return 1, int(card[1] == trump), _BY_SUIT[card[1]]
    return 0, _ORDER[card], 0


def show(cards: Iterable[str], *, lang: str, in_order: bool = False) -> Text:
    """Cards with suit symbols, red suits in red; highest first, unless they are `in_order`."""
    out = Text()
    ordered = cards if in_order else sorted(cards, key=_ORDER.__getitem__, reverse=True)
    for number, card in enumerate(ordered):
        if number:
            out.append(" ")
        out.append_text(_one(card, lang))
    return out


def plain(cards: Iterable[str], *, lang: str) -> str:
    """`show` without colours."""
    return show(cards, lang=lang).plain


def _one(card: str, lang: str) -> Text:
    if card in _JOKERS:
        name, style = _JOKERS[card]
        return Text(name if lang == "zh" else card, style=style)
    rank = "10" if card[0] == "T" else card[0]
    if len(card) == 1:
        return Text(rank)
    return Text(rank + _SYMBOLS[card[1]], style="red" if card[1] in "hd" else "")
