"""Tickets (PASETO v4.public) and refresh tokens. docs/contracts/sessions.md has the claims."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
import secrets
import struct
from dataclasses import dataclass

import pyseto
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

from data_server.keys import Keys
from paiju.service.refusals import Refused

_HEAD = struct.Struct(">QQ16s")  # player, epoch, random
_MAC = 16


@dataclass(frozen=True)
class Ticket:
    token: str
    expires_us: int


class Tickets:
    """Signs tickets and marks refresh tokens with the keys of the hall."""

    def __init__(self, keys: Keys, *, ticket_us: int) -> None:
        self._ticket_us = ticket_us
        self.use(keys)

    def use(self, keys: Keys) -> None:
        """Sign and verify with other keys from now on."""
        self.keys = keys
        first = keys.tickets[0]
        pem = first.private().private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        self._key = pyseto.Key.new(version=4, purpose="public", key=pem)
        self._footer = json.dumps({"kid": first.id()}).encode()
        self._mark = keys.derived("refresh")

    def sign(self, *, player: int, name: str, guest: bool, epoch: int, now_us: int) -> Ticket:
        expires_us = now_us + self._ticket_us
        claims = {
            "player": str(player),
            "name": name,
            "guest": guest,
            "session_epoch": epoch,
            "expires_us": expires_us,
        }
        payload = json.dumps(claims, ensure_ascii=False, separators=(",", ":")).encode()
        token = pyseto.encode(self._key, payload, footer=self._footer)
        return Ticket(token.decode(), expires_us)

    def refresh_token(self, *, player: int, epoch: int) -> str:
        """A fresh token for a session. Only its hash is stored."""
        head = _HEAD.pack(player, epoch, secrets.token_bytes(16))
        return base64.urlsafe_b64encode(head + self._mac(head)).decode()

    def read_refresh(self, token: str) -> tuple[int, int]:
        """(player, epoch) of a token that we once made, or Refused BAD_TICKET.

        So a token that was rotated away is told from one that somebody made up, without
        keeping the old ones.
        """
        try:
            raw = base64.urlsafe_b64decode(token.encode("ascii"))
        except ValueError:
            raise Refused("BAD_TICKET") from None
        head, mac = raw[: _HEAD.size], raw[_HEAD.size :]
        if len(head) != _HEAD.size or not hmac.compare_digest(mac, self._mac(head)):
            raise Refused("BAD_TICKET")
        player, epoch, _ = _HEAD.unpack(head)
        return player, epoch

    def _mac(self, head: bytes) -> bytes:
        return hmac.digest(self._mark, head, "sha256")[:_MAC]


def hash_of(secret: str | bytes) -> bytes:
    """How a secret with at least 128 random bits is stored."""
    return hashlib.sha256(secret.encode() if isinstance(secret, str) else secret).digest()
