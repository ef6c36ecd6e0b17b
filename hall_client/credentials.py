"""What lets a client come back: ticket, refresh token, connection number, and how it came in.

Owned by the core. Nothing here is written to disk; a caller that wants the same guest again
keeps the device secret itself. What would open the session lies sealed in the vault.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from hall_client.vault import Tampered, Vault
from paiju.wire.v1 import common_pb2, hall_pb2


@dataclass(slots=True)
class Credentials:
    """The session as the hall confirmed it last. on_tampered: told the name of a slot."""

    vault: Vault
    on_tampered: Callable[[str], None]
    profile: common_pb2.Profile = field(default_factory=common_pb2.Profile)
    session_epoch: int = 0
    connection: int = 0
    ticket_expires_us: int = 0
    rotation_op: bytes = b""
    """One id for whatever rotates this refresh token: a repeat, be it by Renew or by Resume,
    gets the same new token instead of looking like a thief."""

    @property
    def open(self) -> bool:
        """Whether there is a session to come back to."""
        return self.session_epoch > 0

    @property
    def ticket(self) -> str:
        """Empty when there is none, or none that can be trusted."""
        return self._kept("ticket")

    @property
    def refresh_token(self) -> str:
        return self._kept("refresh_token")

    def _kept(self, slot: str) -> str:
        if slot not in self.vault:
            return ""
        try:
            return self.vault.get(slot).decode()
        except Tampered:
            self.on_tampered(slot)
            return ""

    def forget(self) -> None:
        """The session is over."""
        self.vault.forget("ticket")
        self.vault.forget("refresh_token")
        self.session_epoch = self.connection = self.ticket_expires_us = 0
        self.rotation_op = b""

    def adopt(self, session: hall_pb2.Session, *, new_op: Callable[[], bytes]) -> None:
        """Take over what a Session answer says."""
        self.profile.CopyFrom(session.profile)
        if session.session_epoch != self.session_epoch:
            self.connection = session.connection
        self.connection = max(self.connection, session.connection)
        self.session_epoch = session.session_epoch
        self.vault.put("ticket", session.ticket.encode())
        self.ticket_expires_us = session.ticket_expires_us
        if session.refresh_token and session.refresh_token != self.refresh_token:
            self.vault.put("refresh_token", session.refresh_token.encode())
            self.rotation_op = new_op()

    def resume(self, cursors: list[common_pb2.Cursor]) -> hall_pb2.Resume:
        """The next attempt to come back; each has a number of its own."""
        self.connection += 1
        return hall_pb2.Resume(
            ticket=self.ticket,
            connection=self.connection,
            cursors=cursors,
            refresh_token=self.refresh_token,
        )
