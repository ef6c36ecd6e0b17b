"""Planted faults: mistakes that the simulation must find, each a class or function in the
place of the product's. They are switched on here and nowhere else.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any
from unittest import mock

from game_server.tables import recovery, replay, stream
from game_server.tables.host import TableHost
from game_server.tables.journal import Batch, Journal, Wait, Write
from game_server.tables.outbox import Outbox
from game_server.tables.replay import KnownOperation
from game_server.tables.ring import Ring
from game_server.tables.table import Table
from paiju.service import ids
from paiju.wire.v1 import data_pb2, host_pb2
from tests.sim.clockwork import Process
from tests.sim.disk import Transaction, Writer
from tests.sim.host import Parts
from tests.sim.world import Kinds


class HastyJournal(Journal):
    """Acknowledges and shows what is not written yet."""

    def submit(self, batch: Batch) -> None:
        batch.release()
        super().submit(Batch(batch.rows, posted=batch.posted, answered=batch.answered))


class CarelessWriter(Writer):
    """Checks the epoch in a transaction of its own, before the one that writes."""

    def _wait(self, wait: Wait) -> None:
        if isinstance(wait, Write):
            self.disk.writing.add(self._process)
            self.disk.begin(self._process, lambda held: self._checked(held, wait))
        else:
            super()._wait(wait)

    def _checked(self, held: Transaction, write: Write) -> None:
        try:
            self.store.check_owner()
        except Exception as fenced:
            held.end()
            self._go(None, fenced)
            return
        held.end()
        self._later(self.disk.seconds(), super()._wait, write)

    def _commit(self, held: Transaction, write: Write) -> None:
        with mock.patch.object(self.store, "check_owner"):
            super()._commit(held, write)


class ForgetfulHost(TableHost):
    """Has the operations that it carried out only in memory."""

    def go_on(self, table: Table, known: Sequence[KnownOperation], *, grace_ms: int) -> None:
        super().go_on(table, [], grace_ms=grace_ms)


class RenamingOutbox(Outbox):
    """Sends a settlement that was not answered again under another key."""

    def __init__(self, *, send: Callable[[data_pb2.SettleRequest], Any], **more: Any) -> None:
        tries: Counter[tuple[int, int]] = Counter()

        async def renamed(request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
            for settlement in request.settlements:
                key = settlement.table.table, settlement.hand
                tries[key] += 1
                settlement.hand += 1000 * (tries[key] - 1)
            reply: data_pb2.SettleReply = await send(request)
            return reply

        super().__init__(send=renamed, **more)


class ShortRing(Ring):
    """Begins one number too late."""

    def after(self, seq: int, viewer: int) -> list[bytes] | None:
        missing = super().after(seq, viewer)
        return None if missing is None else missing[1:]


class LenientHost(TableHost):
    """Takes commands of a player's older connections, too."""

    def _admit(self, command: host_pb2.HostCommand) -> None:
        self._seen[command.player] = (command.session_epoch, command.connection)


def wall_clock_s(process: Process) -> float:
    """What a lease must not be measured on."""
    return process.wall_us / 1e6 + process.loop.now


def charging_replay(table: Table, rows: Any, *, now: int, **more: Any) -> None:
    """The clocks ran while nobody was there."""
    gone_ms = max(0, (ids.now_us() - rows[-1].body["at"]) // 1000)
    replay.replay(table, rows, now=now - gone_ms, **more)


@dataclass(frozen=True)
class Plant:
    """kinds: what the worlds are made of. patch: (module, name, value)."""

    name: str
    kinds: Callable[[], Kinds] = Kinds
    patch: tuple[object, str, object] | None = None

    @contextmanager
    def planted(self) -> Iterator[None]:
        with ExitStack() as stack:
            if self.patch is not None:
                stack.enter_context(mock.patch.object(*self.patch))
            yield


PLANTS = (
    Plant("acknowledge before commit", lambda: Kinds(Parts(journal=HastyJournal))),
    Plant("epoch checked outside the transaction", lambda: Kinds(Parts(writer=CarelessWriter))),
    Plant("operation ids only in memory", lambda: Kinds(Parts(table_host=ForgetfulHost))),
    Plant("settlement retried under a new id", lambda: Kinds(Parts(outbox=RenamingOutbox))),
    Plant("ring off by one", patch=(stream, "Ring", ShortRing)),
    Plant("lease on the wall clock", lambda: Kinds(lease_clock=wall_clock_s)),
    Plant("downtime charged to a clock", patch=(recovery, "replay", charging_replay)),
    Plant("two gateways for one session", lambda: Kinds(Parts(table_host=LenientHost))),
)
