"""Who may play: asked at every sitting down. Replaceable where the server is put together."""

from __future__ import annotations

from typing import Protocol

from sqlalchemy import select
from sqlalchemy.engine import Connection

from data_server.store.tables import Player
from paiju.service.refusals import Refused

FOR_EVER_US = 9 * 10**15  # frozen until the year 2255: banned


class MayPlay(Protocol):
    def __call__(self, tx: Connection, player: int, now_us: int) -> None:
        """Return, or raise Refused (FROZEN, BANNED, MAY_NOT_PLAY)."""


def not_frozen(tx: Connection, player: int, now_us: int) -> None:
    """Everybody may open a session and play whose account exists and is not frozen."""
    until = tx.scalar(select(Player.frozen_until_us).where(Player.id == player))
    if until is None:
        raise Refused("NO_SUCH_PLAYER")
    if until > now_us:
        raise Refused("BANNED") if until >= FOR_EVER_US else Refused("FROZEN", until=until)
