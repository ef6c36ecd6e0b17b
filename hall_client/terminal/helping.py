"""Help: what may be typed, what may be done now, and the rules as the game's package has them."""

from __future__ import annotations

from importlib import resources

from rich.console import Group, RenderableType
from rich.markdown import Markdown
from rich.text import Text

from hall_client.terminal import choices
from hall_client.terminal.choices import Choices
from hall_client.texts import Texts
from paiju.rules.registry import Registry

LISTED = 40
"""Lines that are shown at most; hands of 36 cards have hundreds of plays."""


def typing(game: str, texts: Texts) -> RenderableType:
    """Dou Dizhu has a short form of its rules; everybody gets how to type."""
    parts = [Text.from_markup(texts("help"))] if game == "doudizhu" else []
    return Group(*parts, Text.from_markup(texts("typing")))


def rules(registry: Registry, game: str, texts: Texts) -> RenderableType:
    """The package's help in that language, or that it has none."""
    found = rules_text(registry, game, texts.lang)
    return Markdown(found) if found else Text(texts("no_rules"))


def rules_text(registry: Registry, game: str, lang: str) -> str:
    """Markdown; "" when the package brings none."""
    folder = resources.files("games").joinpath(registry.package_of(game))
    for language in (lang, "en"):
        file = folder.joinpath(f"help.{language}.md")
        if file.is_file():
            return file.read_text("utf-8")
    return ""


def listed(offered: Choices, texts: Texts) -> RenderableType:
    """Numbered lines, to be chosen by `#number`."""
    every = (*offered.lines, *offered.early)
    if not every:
        return Text(texts("nothing_listed"))
    rows = [
        Text.assemble((f"#{number:<3} ", "dim"), choices.shown(line, texts.lang))
        for number, line in enumerate(every[:LISTED], 1)
    ]
    if len(every) > LISTED:
        rows.append(Text(texts("more_listed", more=len(every) - LISTED), style="dim"))
    return Group(*rows)


def asked(offered: Choices, texts: Texts) -> str:
    """What may be typed now, in a few words for the status line."""
    parts = []
    if offered.with_cards:
        usual = offered.with_cards[0]
        cards = texts("cards_word")
        parts.append(cards if usual == "play" else f"{_name(usual, texts)} + {cards}")
    for verb in offered.listed:
        if verb in offered.with_cards[:1]:
            continue
        numbers = offered.numbers(verb)
        if verb == "pass" and not numbers:
            parts.append(f"p {texts('hint_pass')}")
        elif numbers and len(numbers) <= 6:
            parts.append(f"{_name(verb, texts)} {' '.join(map(str, numbers))}")
        else:
            parts.append(_name(verb, texts))
    return ", ".join(parts[:6])


def _name(verb: str, texts: Texts) -> str:
    return choices.shown(verb, texts.lang)
