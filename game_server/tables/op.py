"""The identity of a player's operation as the journal keeps it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Op(NamedTuple):
    """id: as the player's client made it. digest: of the command's body, equal in a repeat."""

    id: bytes = b""
    digest: bytes = b""

    def body(self) -> dict[str, str]:
        """Its part of a journal row."""
        return {"op": self.id.hex(), "digest": self.digest.hex()} if self.id else {}

    @classmethod
    def of(cls, body: Mapping[str, Any]) -> Op:
        """From a row; NO_OP when nobody's command caused it."""
        return cls(bytes.fromhex(body.get("op", "")), bytes.fromhex(body.get("digest", "")))


NO_OP = Op()
