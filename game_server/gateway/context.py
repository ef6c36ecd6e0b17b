"""What all sessions of one gateway share. Only the gateway changes it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from game_server.gateway.answers import Sentences
from game_server.gateway.limits import Limits
from paiju.service.refusals import sentence


def _no_game(_: str) -> str:
    return ""


def _nobody(_: str, __: str) -> None:
    pass


def _any_client(_: str, __: int) -> None:
    pass


def _nothing() -> None:
    pass


@dataclass(slots=True, kw_only=True)
class Context:
    server: str
    gateway: str
    wall_us: Callable[[], int]
    limits: Limits = field(default_factory=Limits)
    minimum_build: int = 0
    sentences: Sentences = lambda code, params, locale, game: sentence(code, params, locale)
    game_of: Callable[[str], str] = _no_game  # of a room
    check_client: Callable[[str, int], None] = _any_client  # (room, build); raises Refused
    observe: Callable[[str, str], None] = _nobody  # (command, outcome)
    on_overflow: Callable[[], None] = _nothing  # a player was too slow for his tables
    draining: bool = False
