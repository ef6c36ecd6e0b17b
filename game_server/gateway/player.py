"""Who a session speaks for."""

from __future__ import annotations

from dataclasses import dataclass

from paiju.wire.v1 import common_pb2, hall_pb2

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

    def session(self, wallet: hall_pb2.Wallet) -> hall_pb2.Session:
        """Who and how rich, as far as it is known here."""
        profile = common_pb2.Profile(player=self.id, name=self.name, guest=self.guest)
        return hall_pb2.Session(profile=profile, session_epoch=self.epoch, wallet=wallet)

    @classmethod
    def of(cls, session: hall_pb2.Session) -> Player:
        profile = session.profile
        return cls(
            profile.player, profile.name, profile.guest, session.session_epoch, session.connection
        )
