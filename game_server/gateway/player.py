"""Who a session speaks for."""

from __future__ import annotations

from dataclasses import dataclass

from paiju.wire.v1 import hall_pb2

Pair = tuple[int, int]
"""(session epoch, connection number): orders all connections of a player."""


@dataclass(frozen=True, slots=True)
class Player:
    id: int
    name: str
    guest: bool
    epoch: int
    connection: int

    @property
    def pair(self) -> Pair:
        return self.epoch, self.connection

    @classmethod
    def of(cls, session: hall_pb2.Session) -> Player:
        profile = session.profile
        return cls(
            profile.player, profile.name, profile.guest, session.session_epoch, session.connection
        )
