"""What a bot thinks with: a view in, an action line out. It never sees a state."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any, Protocol

from paiju.rules.api import Game
from paiju.rules.registry import Registry


class Mind(Protocol):
    def choose(self, view: Mapping[str, Any]) -> str:
        """A legal action line for the seat whose view this is; only called in its turn."""
        ...


_SECOND_THOUGHTS = 8


class NothingLegal(RuntimeError):
    """The rules see no action for a seat that is on the clock."""


class _Rules:
    """The rules that a table plays by, found by what its view says of itself."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def game(self, view: Mapping[str, Any]) -> Game:
        """Raises UnknownGame when they are not installed here, or not in that version."""
        table = view["@table"]
        return self._registry.get(table["game"], table["version"], table["parameters"])


class GameMind(_Rules):
    """The game's own bot; its first choice is also the hint of a person's hint button.

    budget_ms: how long the bot may think.
    """

    def __init__(self, registry: Registry, *, budget_ms: int = 20) -> None:
        super().__init__(registry)
        self._budget_ms = budget_ms

    def choose(self, view: Mapping[str, Any]) -> str:
        game = self.game(view)
        legal = game.legal_in_view(view)
        if not legal:
            raise NothingLegal(f"phase {view.get('phase')!r}")
        return game.format(game.bot().act(view, legal, self._budget_ms))


class RandomMind(_Rules):
    """Any legal action, each as likely; for tests.

    eager: hardly ever passes when there is anything else, so that hands come to an end as
    people's do; for load, which is not to pay for good play.
    """

    def __init__(self, registry: Registry, choices: random.Random, *, eager: bool = False) -> None:
        super().__init__(registry)
        self._choices = choices
        self._eager = eager

    def choose(self, view: Mapping[str, Any]) -> str:
        game = self.game(view)
        legal = game.legal_in_view(view)
        if not legal:
            raise NothingLegal(f"phase {view.get('phase')!r}")
        line = game.format(self._choices.choice(legal))
        for _ in range(_SECOND_THOUGHTS if self._eager and len(legal) > 1 else 0):
            if not line.startswith("pass"):
                break
            line = game.format(self._choices.choice(legal))
        return line
