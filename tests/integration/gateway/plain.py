"""A channel that seals nothing, for tests that look at the session behind it.

Nothing in the product is like it: a gateway gets its channel by an argument of its
constructor, and only tests pass this one.
"""

from __future__ import annotations


class Plain:
    """See paiju.wire.sealed.Channel."""

    ready = True

    def handshake(self) -> bytes:
        return b""

    def receive(self, frame: bytes, now: float) -> bytes | None:
        return frame

    def seal(self, payload: bytes, now: float) -> bytes:
        return payload
