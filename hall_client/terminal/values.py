"""Any value of a view or event in words: cards with suits, seats by name, the rest as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.text import Text

from hall_client.terminal import cards
from hall_client.terminal.vocabulary import value as in_words


class Speaker:
    """One language, one table. names: of the seats, as board.names has them."""

    def __init__(self, names: Sequence[str], lang: str) -> None:
        self._names = names
        self.lang = lang

    def seat(self, seat: Any) -> str:
        """The name of a seat; "-" for none."""
        known = isinstance(seat, int) and not isinstance(seat, bool)
        return self._names[seat] if known and 0 <= seat < len(self._names) else "-"

    def seats(self, value: Any) -> str:
        """One seat, or several; pairs of seats are "who, from whom"."""
        if not isinstance(value, list):
            return self.seat(value)
        return ", ".join(self.seats(one).replace(", ", " ← ") for one in value) or "-"

    def say(self, value: Any) -> Text:
        """The value as a person reads it."""
        if isinstance(value, bool):
            return Text("✓" if value else "✗")
        if value is None:
            return Text("-")
        if isinstance(value, str):
            return self._text(value)
        if isinstance(value, list):
            return self._list(value)
        if isinstance(value, Mapping):
            return self._mapping(value)
        return Text(str(value))

    def _text(self, text: str) -> Text:
        if cards.is_card(text):
            return cards.show([text], lang=self.lang)
        return Text(in_words(text, self.lang))

    def _list(self, values: Sequence[Any]) -> Text:
        if values and all(isinstance(v, str) and cards.is_card(v) for v in values):
            return cards.show(values, lang=self.lang)
        return Text(", ").join(self.say(value) for value in values) if values else Text("-")

    def _mapping(self, value: Mapping[str, Any]) -> Text:
        """A debt of Gouji reads "A → B 2"; anything else key by key."""
        if {"from", "to"} <= value.keys():
            who = f"{self.seat(value['from'])} → {self.seat(value['to'])}"
            return Text(f"{who} {value.get('count', '')}".rstrip())
        parts = [
            Text.assemble(f"{key.replace('_', ' ')} ", self.say(one)) for key, one in value.items()
        ]
        return Text(", ").join(parts)
