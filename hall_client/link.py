"""A link carries sealed frames between client and gateway; it knows nothing of what is inside.

Owner: one connection of one client. One task reads, one writes.
"""

from __future__ import annotations

from typing import Protocol


class LinkLost(Exception):
    """The link broke, or could not be made; the text says how."""


class Link(Protocol):
    async def open(self) -> None:
        """Raises LinkLost when the gateway cannot be reached."""

    async def read(self) -> bytes | None:
        """The next frame; None: the gateway closed the link in order. Raises LinkLost."""

    async def write(self, frame: bytes) -> None:
        """Waits while the gateway does not take what was written before. Raises LinkLost."""

    def cut(self) -> None:
        """End it now; what waits in `open`, `read` or `write` raises LinkLost."""

    async def close(self) -> None:
        """Give back what it holds, after `cut`."""
