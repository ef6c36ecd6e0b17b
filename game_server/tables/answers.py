"""Operation ids: what was answered, so that a command sent twice takes effect once.

Owned by a shard. An entry is kept while its command is being worked on and, afterwards,
as long as there is room. A repeat that comes after its entry was dropped is stopped by the
state itself: the decision is stale, the seat is taken, the coins of the operation are counted
(`Seat.topped`), the sitting that it opened is over (the data server, which keeps operations for
48 hours, says so).
"""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from dataclasses import dataclass, field

from game_server.tables.links import Link
from game_server.tables.op import Op
from paiju.service.refusals import Refused
from paiju.wire.v1 import host_pb2

CAPACITY = 20_000


@dataclass(slots=True)
class Operation:
    """One operation of a player; `answer` is None while it is being worked on."""

    digest: bytes
    answer: host_pb2.HostAnswer | None = None
    # Who waits for the answer: the link and the command as it came through it.
    waiting: list[tuple[Link, host_pb2.HostCommand]] = field(default_factory=list)


def digest_of(command: host_pb2.HostCommand) -> bytes:
    """What must be equal in a repeat: the body, not who carries it."""
    kind = command.WhichOneof("body") or ""
    body = getattr(command, kind).SerializeToString(deterministic=True) if kind else b""
    return hashlib.blake2b(kind.encode() + b"\0" + body, digest_size=16).digest()


class Answers:
    """(player, op) -> Operation, the oldest answered ones dropped first."""

    def __init__(self, *, capacity: int = CAPACITY) -> None:
        self._capacity = capacity
        self._operations: OrderedDict[tuple[int, bytes], Operation] = OrderedDict()

    def begin(self, player: int, op: bytes, digest: bytes) -> tuple[Operation, bool]:
        """The operation and whether it is new. Refused(OP_REUSED) for another body."""
        known = self._operations.get((player, op))
        if known is not None:
            if known.digest != digest:
                raise Refused("OP_REUSED")
            return known, False
        operation = Operation(digest)
        self._operations[player, op] = operation
        while len(self._operations) > self._capacity:
            key, oldest = next(iter(self._operations.items()))
            if oldest.answer is None:
                self._operations.move_to_end(key)
                break
            del self._operations[key]
        return operation, True

    def known(self, player: int, op: Op, answer: host_pb2.HostAnswer) -> None:
        """An operation that the journal tells of: a repeat gets this answer."""
        self._operations[player, op.id] = Operation(op.digest, answer)

    def op_of(self, command: host_pb2.HostCommand) -> Op:
        """The operation, which has begun, as the journal keeps it."""
        known = self._operations.get((command.player, command.op))
        return Op(command.op, digest_of(command) if known is None else known.digest)

    def forget(self, player: int, op: bytes) -> None:
        """Nothing happened (RETRY): the same id may be tried again."""
        self._operations.pop((player, op), None)

    def __len__(self) -> int:
        return len(self._operations)
