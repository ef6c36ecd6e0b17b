"""Commands into packets, within the protocol's limits of number and size."""

from __future__ import annotations

from collections.abc import Sequence

from paiju.wire import protocol
from paiju.wire.v1 import hall_pb2


def frames(commands: Sequence[hall_pb2.Command]) -> list[bytes]:
    """Serialized ClientFrames within the limits of number and size."""
    out: list[bytes] = []
    frame, size = hall_pb2.ClientFrame(), 0
    for command in commands:
        more = command.ByteSize() + 8
        full = len(frame.commands) >= protocol.MAX_COMMANDS_PER_FRAME
        if frame.commands and (full or size + more > protocol.MAX_PACKET_BYTES):
            out.append(frame.SerializeToString())
            frame, size = hall_pb2.ClientFrame(), 0
        frame.commands.append(command)
        size += more
    if frame.commands:
        out.append(frame.SerializeToString())
    return out
