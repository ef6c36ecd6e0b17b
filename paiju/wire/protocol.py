"""Numbers both ends of a stream must agree on."""

from __future__ import annotations

MAJOR = 1
"""Another major version is refused with UPGRADE_REQUIRED."""
MINOR = 0
"""A newer minor may have commands that this side answers with UNSUPPORTED."""
LINK_PROTOCOL = 1
"""Of the stream between gateway and host."""

MAX_PACKET_BYTES = 16 * 1024
"""Largest packet a player may send; a larger one closes the connection."""
MAX_COMMANDS_PER_FRAME = 32
MAX_LINK_FRAME_BYTES = 8 * 1024 * 1024
"""Largest frame between gateway and host, either way."""

MAX_AMOUNT = 9 * 10**15
"""Amounts must survive JSON in a browser."""
MAX_CONTRIBUTION_BYTES = 64
MAX_CHAT_CHARS = 200
MAX_ACTION_CHARS = 400
OP_BYTES = 16

SPECTATOR = -2
"""The seat number of a receiver without a seat, as in paiju.rules."""
