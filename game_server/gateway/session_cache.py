"""What a gateway remembers of players for a moment: profile and balance, sealed in memory.

An optimisation and nothing else: a resume can then show the balance without asking the data
server. Every entry may be gone at any time, and then the player asks. An entry is sealed with
AES-256-GCM under a key of this process, bound to player and session epoch, and too old after
`ttl_s`; the key lives `key_s`, and all entries go with it. Nothing of it is ever logged, and
the process leaves no core dump (process.forbid_dumps).

Owner: the gateway's loop. Time is passed in.
"""

from __future__ import annotations

import secrets
import struct
from collections import OrderedDict

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from paiju.wire.v1 import hall_pb2

TTL_S = 30.0
KEY_S = 600.0
ENTRIES = 4_000
MAX_ENTRY_BYTES = 4_096
_NONCE_BYTES = 12
_BOUND = struct.Struct(">QQ")
_VERSION = b"paiju session cache 1"


class SessionCache:
    def __init__(
        self, *, now: float, ttl_s: float = TTL_S, key_s: float = KEY_S, entries: int = ENTRIES
    ) -> None:
        self._ttl_s = ttl_s
        self._key_s = key_s
        self._most = entries
        self._sealed: OrderedDict[int, tuple[float, bytes]] = OrderedDict()
        self.broken = 0
        """Entries that did not open although nobody but us writes here."""
        self._new_key(now)

    def __len__(self) -> int:
        return len(self._sealed)

    def remember(self, session: hall_pb2.Session, now: float) -> None:
        """Keep profile and balance of an open session; nothing that opens one."""
        if now >= self._key_until:
            self._new_key(now)
        kept = hall_pb2.Session(profile=session.profile, wallet=session.wallet)
        plain = kept.SerializeToString()
        player = session.profile.player
        self._sealed.pop(player, None)
        if len(plain) > MAX_ENTRY_BYTES:
            return
        nonce = secrets.token_bytes(_NONCE_BYTES)
        bound = _bound(player, session.session_epoch)
        self._sealed[player] = (now, nonce + self._aead.encrypt(nonce, plain, bound))
        if len(self._sealed) > self._most:
            self._sealed.popitem(last=False)

    def recall(self, player: int, epoch: int, now: float) -> hall_pb2.Session | None:
        """Profile and wallet as they were at most `ttl_s` ago, in that very session epoch."""
        kept = self._sealed.get(player)
        if kept is None:
            return None
        since, sealed = kept
        if now - since >= self._ttl_s or now >= self._key_until:
            del self._sealed[player]
            return None
        try:
            plain = self._aead.decrypt(
                sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], _bound(player, epoch)
            )
        except InvalidTag:
            # Another epoch, or memory that was changed: either way not to be believed.
            del self._sealed[player]
            self.broken += 1
            return None
        return hall_pb2.Session.FromString(plain)

    def forget(self, player: int) -> None:
        """His coins move: what is known of them is no longer true."""
        self._sealed.pop(player, None)

    def _new_key(self, now: float) -> None:
        self._sealed.clear()
        self._aead = AESGCM(AESGCM.generate_key(256))
        self._key_until = now + self._key_s


def _bound(player: int, epoch: int) -> bytes:
    return _VERSION + _BOUND.pack(player, epoch)
