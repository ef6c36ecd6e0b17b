"""The secrets of a hall: what signs tickets, seals stored answers, marks refresh tokens.

All data servers of a hall read the same file. It is made once, mode 0600, and holds one
random secret and the seeds of the ticket keys, newest first:

    {"version": 1, "secret": BASE64, "tickets": [{"seed": BASE64, "not_after_us": 0}]}

Two ticket keys may be valid at once: `rotate` puts a new one in front and gives the old one
an end. The first one signs, all that have not ended verify.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import secrets
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

FOR_EVER = 0


@dataclass(frozen=True)
class TicketSeed:
    seed: bytes
    not_after_us: int  # 0: no end

    def private(self) -> Ed25519PrivateKey:
        return Ed25519PrivateKey.from_private_bytes(self.seed)

    def public(self) -> bytes:
        return self.private().public_key().public_bytes_raw()

    def id(self) -> str:
        return hashlib.sha256(self.public()).hexdigest()[:16]


@dataclass(frozen=True)
class Keys:
    secret: bytes
    tickets: tuple[TicketSeed, ...]

    @classmethod
    def new(cls) -> Keys:
        return cls(secrets.token_bytes(32), (TicketSeed(secrets.token_bytes(32), FOR_EVER),))

    def derived(self, purpose: str) -> bytes:
        """32 bytes for one purpose."""
        return HKDF(SHA256(), 32, salt=None, info=b"paiju." + purpose.encode()).derive(self.secret)

    def rotated(self, *, now_us: int, overlap_us: int) -> Keys:
        """With a new ticket key in front; the former one ends after the overlap."""
        former = replace(self.tickets[0], not_after_us=now_us + overlap_us)
        return replace(self, tickets=(TicketSeed(secrets.token_bytes(32), FOR_EVER), former))

    def to_json(self) -> str:
        tickets = [
            {"seed": _text(key.seed), "not_after_us": key.not_after_us} for key in self.tickets
        ]
        return json.dumps({"version": 1, "secret": _text(self.secret), "tickets": tickets})

    @classmethod
    def from_json(cls, text: str) -> Keys:
        """ValueError when it is not such a file."""
        try:
            data: Any = json.loads(text)
            if data["version"] != 1:
                raise ValueError("unknown version")
            tickets = tuple(
                TicketSeed(base64.b64decode(key["seed"]), int(key["not_after_us"]))
                for key in data["tickets"]
            )
            keys = cls(base64.b64decode(data["secret"]), tickets)
        except (KeyError, TypeError, ValueError) as error:
            raise ValueError(f"this is no key file of a hall: {error}") from None
        if len(keys.secret) != 32 or not tickets or any(len(k.seed) != 32 for k in tickets):
            raise ValueError("this is no key file of a hall: wrong lengths")
        return keys


def _text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def read_or_make(path: Path, make: str) -> str:
    """The content of a secret file; written first, mode 0600, when it is missing.

    Of two programs that start at once one writes and both read the same.
    """
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "w") as file:
            file.write(make + "\n")
            file.flush()
            os.fsync(file.fileno())
        try:
            os.link(draft, path)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text().strip()


def rotate(path: Path, *, now_us: int, overlap_us: int) -> None:
    """Put a new ticket key into the file; data servers see it within a minute."""
    keys = Keys.from_json(path.read_text()).rotated(now_us=now_us, overlap_us=overlap_us)
    draft = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w") as file:
        file.write(keys.to_json() + "\n")
        file.flush()
        os.fsync(file.fileno())
    draft.replace(path)
