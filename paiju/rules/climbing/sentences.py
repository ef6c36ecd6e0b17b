"""Sentences of climbing games: what a refusal says, with the play that is not beaten in words."""

from __future__ import annotations

from collections.abc import Mapping

Words = tuple[str, str]
"""(en, zh), with {places} for parameters."""


class _Known(dict[str, object]):
    """A place that no parameter fills is a question mark, never an error."""

    def __missing__(self, key: str) -> str:
        return "?"


def sentence(
    texts: Mapping[str, Words],
    kinds: Mapping[str, Words],
    code: str,
    params: Mapping[str, object],
    locale: str,
) -> str | None:
    """None for a code that the game does not have.

    kinds: names of kinds of play; params with `kind`, `length` and `rank` fill {play}.
    """
    words = texts.get(code)
    if words is None:
        return None
    column = 1 if locale.startswith("zh") else 0
    values = _Known(params)
    kind = kinds.get(str(params.get("kind", "")))
    if kind is not None:
        shown = kind[column].format(length=params.get("length", "?"))
        rank = params.get("rank", "")
        values["play"] = f"{shown} ({rank})" if column == 0 else f"{shown}（{rank}）"
    return words[column].format_map(values)
