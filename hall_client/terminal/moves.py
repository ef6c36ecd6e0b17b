"""A person's moves: what is offered in a view, what a typed line does, the hint.

Owner: the person's loop. The rules are found by what the table's view says of itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import RenderableType

from hall_client.bots.mind import GameMind
from hall_client.terminal import cards, choices, helping
from hall_client.terminal.choices import Choices, Unclear
from hall_client.terminal.screen import Screen
from hall_client.texts import Texts
from paiju.rules.registry import Registry

View = Mapping[str, Any]
_UNCLEAR_SHOWN = 8


class Moves:
    """hint: the line that Enter sends; "" for none."""

    def __init__(self, registry: Registry, screen: Screen, texts: Texts) -> None:
        self.hint = ""
        self._registry = registry
        self._mind = GameMind(registry)
        self._screen = screen
        self._texts = texts

    def offered(self, view: View) -> Choices:
        """What the own seat may do now."""
        return Choices.of(self._mind.game(view), view)

    def suggest(self, view: View) -> None:
        """Show the hint, and keep it for Enter."""
        self.hint = self._mind.choose(view)
        shown = self.in_words(self.hint, view)
        self._screen.say(self._texts("hint", play=shown))

    def choose(self, view: View) -> str:
        """The hint without a word."""
        return self._mind.choose(view)

    def only_pass(self, view: View) -> bool:
        """Nothing that is held beats the play to beat: Enter passes."""
        if view.get("phase") != "play" or self.offered(view).lines != ("pass",):
            return False
        self.hint = "pass"
        return True

    def read(self, typed: str, view: View) -> str:
        """The line that is meant; "" when it was explained why there is none."""
        texts, lang = self._texts, self._texts.lang
        try:
            return self.offered(view).read(typed)
        except Unclear as unclear:
            several = " / ".join(choices.shown(one, lang) for one in unclear.lines[:_UNCLEAR_SHOWN])
            text = texts("unclear", lines=several) if several else texts("not_understood")
            self._screen.say(text, style="yellow")
        except cards.Unreadable as no:
            self._screen.say(texts("unreadable", text=no.text), style="yellow")
        except cards.NotHeld as no:
            missing = cards.plain(no.cards, lang=lang)
            self._screen.say(texts("not_held", cards=missing), style="yellow")
        return ""

    def in_words(self, line: str, view: View) -> str:
        if line == "pass":
            bidding = view.get("phase") == "bid"
            return self._texts("hint_no_call" if bidding else "hint_pass")
        return choices.shown(line, self._texts.lang)

    # ---- help ------------------------------------------------------------------------------

    def typing(self, view: View) -> RenderableType:
        return helping.typing(view["@table"]["game"], self._texts)

    def rules(self, view: View) -> RenderableType:
        return helping.rules(self._registry, view["@table"]["game"], self._texts)

    def listed(self, view: View) -> RenderableType:
        return helping.listed(self.offered(view), self._texts)

    def asked(self, view: View) -> str:
        return helping.asked(self.offered(view), self._texts)
