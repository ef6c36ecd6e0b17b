"""Advice for one seat, from nothing but what that seat sees: its hint and its listed actions.

The page sends the view that it has; the game's own bot answers. No state is kept, and nothing
can be learned here that the view does not hold.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from paiju.rules.registry import Registry, UnknownGame

BUDGET_MS = 20
MAX_LINES = 64
MAX_VIEW_BYTES = 32 * 1024


class NoAdvice(Exception):
    """Why not, as a sentence."""


class Advice:
    """at_once: how many may be worked out side by side; the others wait."""

    def __init__(self, registry: Registry, *, at_once: int = 2) -> None:
        self._registry = registry
        self._slots = asyncio.Semaphore(at_once)

    async def give(self, view: Mapping[str, Any]) -> dict[str, Any]:
        """`{"hint": line or null, "lines": [line, ...]}`. Raises NoAdvice."""
        async with self._slots:
            return await asyncio.to_thread(self._work_out, view)

    def _work_out(self, view: Mapping[str, Any]) -> dict[str, Any]:
        try:
            table = view["@table"]
            game = self._registry.get(table["game"], table["version"], table["parameters"])
            legal = game.legal_in_view(view)
            lines = [game.format(action) for action in legal[:MAX_LINES]]
            hint = game.format(game.bot().act(view, legal, BUDGET_MS)) if legal else None
        except UnknownGame as error:
            raise NoAdvice(str(error)) from None
        except Exception as error:
            # What a page sends is not to be trusted: a view may hold anything, and rules that
            # are shown what cannot be raise anything.
            raise NoAdvice(f"not a view of this game: {type(error).__name__}") from None
        return {"hint": hint, "lines": lines}
