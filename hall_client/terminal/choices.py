"""What a seat may do now, and which action of the rules a typed line means.

The rules list lines ("play 3s 3h", "bid_banker", "stake 100"); some list only hints, so a line
that is not listed may be right, too: the hall decides. A line is typed as the rules write it, by
its words in either language, by cards alone (`33`), by its number alone (`2` for "call 2"), or as
`#3`, the third of the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hall_client.terminal import cards
from hall_client.terminal.vocabulary import VERBS, named, word
from paiju.rules.api import Game

_NUMBERED = re.compile(r"[#＃]\s*(\d{1,4})")
_NUMBER = re.compile(r"(\d{1,9})\s*分?")
_SUIT = re.compile(r"(?P<cards>.*\S)\s+(?P<suit>[schd♠♥♣♦])", re.IGNORECASE)
_READ_AS = re.compile(r"(?P<cards>.*\S)(?P<kind>\s+as\s+\w+)", re.IGNORECASE)
_SHORT: Mapping[str, Sequence[str]] = {
    "pass": ("p", "不出", "不要", "要不起", "过", "不叫", "不抢"),
    "fold": ("p", "不跟"),
    "no_head": ("p",),
    "burn": ("烧牌",),
    "play": ("出牌",),
}


class Unclear(ValueError):
    """`lines`: what could be meant; empty: nothing that is listed."""

    def __init__(self, lines: Sequence[str]) -> None:
        super().__init__(", ".join(lines))
        self.lines = list(lines)


@dataclass(frozen=True)
class Choices:
    """lines: listed by the rules. early: may be sent out of turn. verbs: of all of them, and
    of what the view names without listing it (which may be impossible). hand: own cards."""

    lines: tuple[str, ...] = ()
    early: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()
    hand: tuple[str, ...] = field(default=())

    @classmethod
    def of(cls, game: Game, view: Mapping[str, Any]) -> Choices:
        """From the view of a seat, whether it is its turn or not."""
        lines = tuple(game.format(action) for action in game.legal_in_view(view))
        early = tuple(view.get("early") or ())
        offered = [str(line) for line in view.get("legal") or ()] if lines else []
        if _may_burn(view):
            offered.append("burn")
        return cls(
            lines=lines,
            early=early,
            verbs=tuple(dict.fromkeys(verb_of(line) for line in (*lines, *early, *offered))),
            hand=tuple(view.get("hand") or ()),
        )

    def __bool__(self) -> bool:
        return bool(self.verbs)

    @property
    def listed(self) -> list[str]:
        """Verbs with which something can be done, as far as the rules list it."""
        found = dict.fromkeys(verb_of(line) for line in (*self.lines, *self.early))
        return [*found, *(["burn"] if "burn" in self.verbs and "burn" not in found else [])]

    @property
    def with_cards(self) -> list[str]:
        """Verbs that name cards, the usual one first."""
        found = {verb_of(line) for line in self.lines if _cards_in(line)}
        found |= {"play", "burn"} & set(self.verbs)
        return sorted(found, key=lambda verb: (verb != "play", self.verbs.index(verb)))

    def numbers(self, verb: str) -> list[int]:
        """The numbers that lines of this verb name: calls, bets."""
        found = (line.split()[1:] for line in (*self.lines, *self.early) if verb_of(line) == verb)
        return [int(rest[0]) for rest in found if len(rest) == 1 and rest[0].isdecimal()]

    # ---- reading ---------------------------------------------------------------------------

    def read(self, typed: str) -> str:
        """The line of the rules. Raises Unclear, cards.Unreadable, cards.NotHeld."""
        text = " ".join(typed.split())
        every = (*self.lines, *self.early)
        numbered = _NUMBERED.fullmatch(text)
        if numbered:
            return self._listed(int(numbered[1]))
        exact = [line for line in every if line.lower() == text.lower()]
        if exact:
            return exact[0]
        verb, rest = self._verb(text)
        if verb:
            return self._with_verb(verb, rest)
        number = _NUMBER.fullmatch(text)
        if number:
            line = self._by_number(int(number[1]))
            if line:
                return line
        return self._by_cards(text)

    def _listed(self, number: int) -> str:
        every = (*self.lines, *self.early)
        if not 1 <= number <= len(every):
            raise Unclear([])
        return every[number - 1]

    def _verb(self, text: str) -> tuple[str, str]:
        """The verb that the text begins with, and the rest; ("", text) for none."""
        lower = text.lower()
        best = ("", "")
        for verb in self.verbs:
            for name in _names(verb):
                if _begins(lower, name) and len(name) > len(best[1]):
                    best = (verb, name)
        return best[0], text[len(best[1]) :].strip()

    def _with_verb(self, verb: str, rest: str) -> str:
        lines = [line for line in (*self.lines, *self.early) if verb_of(line) == verb]
        if not rest:
            if verb in lines:
                return verb
            if len(lines) == 1:
                return lines[0]
            if lines:
                raise Unclear(lines)
            return verb
        number = _NUMBER.fullmatch(rest)
        if number and (self.numbers(verb) or verb not in self.with_cards):
            return f"{verb} {int(number[1])}"
        same = [line for line in lines if line.lower() == f"{verb} {rest}".lower()]
        return same[0] if same else f"{verb} {self._cards(verb, rest)}"

    def _by_number(self, number: int) -> str:
        """A bare number: of the one verb that names numbers. 0 declines."""
        verbs = [verb for verb in self.verbs if self.numbers(verb)]
        if not verbs or (self.with_cards and number not in self.numbers(verbs[0])):
            return ""
        if number == 0 and "pass" in self.verbs:
            return "pass"
        return f"{verbs[0]} {number}"

    def _by_cards(self, text: str) -> str:
        """Cards alone: with the usual verb, else with the one whose lines name these cards."""
        verbs = self.with_cards
        if not verbs:
            raise Unclear([])
        named = self._cards(verbs[0], text)
        if "play" in verbs or len(verbs) == 1:
            return f"{verbs[0]} {named}"
        fitting = [line for line in self.lines if sorted(_cards_in(line)) == sorted(named.split())]
        if len(fitting) == 1:
            return fitting[0]
        raise Unclear(fitting or [line for line in self.lines if _cards_in(line)])

    def _cards(self, verb: str, text: str) -> str:
        """Cards of the hand as the rules write them, with what some lines say behind them."""
        suited = _SUIT.fullmatch(text)
        if suited and any(verb_of(line) == verb and _names_suit(line) for line in self.lines):
            suit = {"♠": "s", "♥": "h", "♣": "c", "♦": "d"}.get(suited["suit"], suited["suit"])
            return f"{self._held(suited['cards'])} {suit.lower()}"
        read_as = _READ_AS.fullmatch(text)
        if read_as:
            return self._held(read_as["cards"]) + read_as["kind"].lower()
        return self._held(text)

    def _held(self, text: str) -> str:
        return " ".join(cards.resolve(text, self.hand))


def verb_of(line: str) -> str:
    return line.split(" ", 1)[0]


def _names(verb: str) -> Iterable[str]:
    """How a verb may be typed, in small letters."""
    yield verb
    yield verb.replace("_", " ")
    for lang in ("en", "zh"):
        name = word(VERBS, verb, lang)
        if name:
            yield name.lower()
    yield from _SHORT.get(verb, ())


def _begins(text: str, name: str) -> bool:
    """A latin word ends where letters end; a Chinese one may be followed by anything."""
    if not text.startswith(name):
        return False
    after = text[len(name) : len(name) + 1]
    return not (name[-1].isascii() and after.isascii() and after.isalpha())


def _cards_in(line: str) -> list[str]:
    return [name for name in line.split()[1:] if cards.is_card(name)]


def _names_suit(line: str) -> bool:
    last = line.rsplit(" ", 1)[-1]
    return len(last) == 1 and last in "schd"


def _may_burn(view: Mapping[str, Any]) -> bool:
    """Gouji: a burn may be sent out of turn."""
    burn = view.get("burn")
    return isinstance(burn, Mapping) and view.get("@you") in (burn.get("may") or ())


def shown(line: str, lang: str) -> str:
    """A line in words, its cards with suits; cards alone when that is what `play` means."""
    verb, _, rest = line.partition(" ")
    names = rest.partition(" as ")[0].split()
    held = [name for name in names if cards.is_card(name)]
    said = cards.plain(held, lang=lang) if held else rest
    if verb == "play" and held:
        return said
    suit = {"s": " ♠", "h": " ♥", "c": " ♣", "d": " ♦"}[names[-1]] if _names_suit(line) else ""
    return f"{named(VERBS, verb, lang)} {said}{suit}".rstrip()
