"""The client without its network: packets in, packets and happenings out.

Sans-I/O and deterministic: `now` (monotonic seconds), operation ids and bytes are passed in.
Owner: one `HallClient`, one task at a time. It holds what must survive a lost connection:
commands without an answer, table mirrors with their cursors, and the session's credentials.

    connected()  -> Hello, and Resume when there is a session
    receive()    <- packets
    packets()    -> what is to be sent now
    take()       -> happenings: Answered, Failed, and the events of events.py
    disconnected()

The server's view always wins; nothing here is written anywhere.
"""

from __future__ import annotations

import math

from hall_client import events
from hall_client.errors import OutcomeUnknown, Refused
from hall_client.frames import frames
from hall_client.inbox import Inbox
from hall_client.pending import Pending
from hall_client.state import BUILD, OPENERS, OPERATIONS, Phase
from paiju.wire import protocol
from paiju.wire.v1 import hall_pb2

_REPORT_S = 60.0
"""So long a report about a tampered value is tried, over lost connections."""


class Core(Inbox):
    """See the module's head."""

    # ---- what the caller asks for ----------------------------------------------------------

    def submit(
        self, command: hall_pb2.Command, *, now: float, deadline: float = math.inf
    ) -> Pending:
        """Accept a command; it gets its ids here. Raises what ended the session, if it has."""
        if self.ending is not None:
            raise self.ending
        kind = command.WhichOneof("body") or ""
        if kind == "renew":
            command.op = self.credentials.rotation_op or self.new_op()
        elif kind in OPERATIONS and not command.op:
            command.op = self.new_op()
        if kind in OPENERS:
            self._opener = hall_pb2.Command()
            self._opener.CopyFrom(command)
        if kind == "watch":
            mirror = self.tables.follow(command.watch.table)
            if mirror.known:
                command.watch.cursor.CopyFrom(mirror.cursor())
        return self.pending.add(command, now=now, deadline=deadline)

    def next_due(self) -> float:
        """When `packets` or `tick` has something to do; infinity: nothing."""
        connected = self.phase not in (Phase.OFFLINE, Phase.ENDED)
        return self.pending.next_due(may_send=lambda pending: connected and self._may_send(pending))

    def tick(self, now: float) -> None:
        """Give up commands whose time is over."""
        for pending in self.pending.expired(now):
            unknown = OutcomeUnknown(f"no answer to {pending.kind} in time")
            unknown.op = pending.message.op.hex()
            self._lost(pending, unknown)

    def ping(self, now: float) -> None:
        """A sign of life, both ways."""
        self._internal(hall_pb2.Command(ping=hall_pb2.Ping(nonce=1)), now)

    # ---- the connection --------------------------------------------------------------------

    def connected(self, now: float) -> None:
        """A stream to a gateway is there: greet, and resume if there was a session."""
        self.phase = Phase.GREETING
        hello = hall_pb2.Hello(
            major=protocol.MAJOR,
            minor=protocol.MINOR,
            client=self.client,
            build=BUILD,
            locale=self.locale,
            view_api=1,
        )
        self._hello = self._internal(hall_pb2.Command(hello=hello), now)
        self._resume = 0
        if self.credentials.open:
            self._ask_resume(now)
        elif self._opener is not None and not self.pending.any_of(*OPENERS):
            self._reopen(now)

    def disconnected(self, now: float, reason: str) -> None:
        """The stream is gone; what was unanswered will be sent on the next one."""
        if self.phase is Phase.OFFLINE:
            return
        was_open = self.phase is Phase.OPEN
        if self.phase is not Phase.ENDED:
            self.phase = Phase.OFFLINE
        self.pending.connection_lost(now)
        self.tables.connection_lost()
        if was_open:
            self._out.append(events.Disconnected(reason))

    def packets(self, now: float) -> list[bytes]:
        """Frames to send now, each within the protocol's limits."""
        if self.phase in (Phase.OFFLINE, Phase.ENDED):
            return []
        self._report_tampered(now)
        commands = [p.message for p in self.pending.due(now, may_send=self._may_send)]
        return frames(commands)

    def _may_send(self, pending: Pending) -> bool:
        if pending.internal or self.phase is Phase.OPEN:
            return True
        openers = self.phase is Phase.GREETED and not self.credentials.open
        return openers and pending.kind in (*OPENERS, "resume", "list_rooms", "ping")

    def _report_tampered(self, now: float) -> None:
        """Tell the hall, which alone decides what it means, and ask for the value again."""
        if self.phase is not Phase.OPEN:
            return
        tampered, self.tampered = self.tampered, []
        for slot in tampered:
            report = hall_pb2.Command(report=hall_pb2.Report(kind="vault", detail=slot))
            report.op = self.new_op()
            self.pending.add(report, now=now, deadline=now + _REPORT_S)
            if slot == "wallet":
                self._internal(hall_pb2.Command(get_wallet=hall_pb2.GetWallet()), now)

    def _ask_resume(self, now: float) -> None:
        if not self.credentials.ticket:  # it was tampered with
            self._without_ticket(Refused("BAD_TICKET"), now)
            return
        resume = self.credentials.resume(self.tables.cursors())
        self._resume = self._internal(
            hall_pb2.Command(resume=resume), now, op=self.credentials.rotation_op
        )
