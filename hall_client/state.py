"""What a core remembers, and the few things that every part of it does."""

from __future__ import annotations

import enum
from collections.abc import Callable, Sequence

from hall_client import events
from hall_client.credentials import Credentials
from hall_client.errors import HallError, SessionEnded
from hall_client.happenings import Failed, Hangup, Happening
from hall_client.pending import Pending, PendingBook
from hall_client.tables import Tables
from hall_client.vault import Tampered, Vault
from paiju.service import ids
from paiju.wire.v1 import common_pb2, hall_pb2

BUILD = 1
OPENERS = ("open_guest", "register", "login")
_AT_TABLES = ("quick_join", "sit", "stand", "top_up", "ready", "act", "chat")
OPERATIONS = frozenset((*OPENERS, "renew", "change_password", "report", *_AT_TABLES))


class Phase(enum.Enum):
    """OFFLINE: no connection. GREETED: no session yet. ENDED: do not come back."""

    OFFLINE = "offline"
    GREETING = "greeting"
    GREETED = "greeted"
    OPEN = "open"
    ENDED = "ended"


class State:
    """Shared by Inbox and Core; see core.py."""

    def __init__(
        self,
        *,
        locale: str = "en",
        client: str = "python",
        new_op: Callable[[], bytes] = ids.new_op,
    ) -> None:
        self.locale = locale
        self.phase = Phase.OFFLINE
        self.ending: SessionEnded | None = None
        self.vault = Vault()
        self.tampered: list[str] = []
        """Slots of the vault that did not open and have not been reported yet."""
        self.credentials = Credentials(self.vault, self._found_tampered)
        self.welcome = hall_pb2.Welcome()
        self.pending = PendingBook()
        self.tables = Tables()
        self.resumes = 0
        self.penalties: set[int] = set()  # that were told to whoever listens
        self.client = client
        self.new_op = new_op
        self._out: list[Happening] = []
        self._opener: hall_pb2.Command | None = None
        self._hello = self._resume = 0

    @property
    def wallet(self) -> hall_pb2.Wallet:
        """As the hall said it last; empty when it said nothing yet, or that was tampered with."""
        if "wallet" not in self.vault:
            return hall_pb2.Wallet()
        try:
            return hall_pb2.Wallet.FromString(self.vault.get("wallet"))
        except Tampered:
            self._found_tampered("wallet")
            return hall_pb2.Wallet()

    def _found_tampered(self, slot: str) -> None:
        """Noticed now, told to the hall by the next `packets`, asked for anew where it can be."""
        self.tampered.append(slot)
        self._out.append(events.Tampered(slot))

    def take(self) -> Sequence[Happening]:
        """What has happened since the last call, in order."""
        out, self._out = self._out, []
        return out

    def _internal(self, command: hall_pb2.Command, now: float, *, op: bytes = b"") -> int:
        command.op = op
        return self.pending.add(command, now=now, internal=True).id

    def _watch(self, ref: common_pb2.TableRef, now: float) -> None:
        mirror = self.tables.follow(ref)
        if any(p.kind == "watch" and p.message.watch.table == ref for p in self.pending):
            return
        watch = hall_pb2.Watch(table=ref)
        if mirror.known:
            watch.cursor.CopyFrom(mirror.cursor())
        self._internal(hall_pb2.Command(watch=watch), now)

    def _reopen(self, now: float) -> None:
        """A guest's device secret opens the account again; its seats come with the session."""
        assert self._opener is not None
        again = hall_pb2.Command()
        again.CopyFrom(self._opener)
        self._internal(again, now, op=self.new_op())

    def _close_table(self, table: int, reason: str) -> None:
        if self.tables.forget(table):
            self._out.append(events.TableClosed(table, reason))

    def end(self, ending: SessionEnded) -> None:
        """The session is over: every waiting command fails, no new one is taken."""
        if self.ending is not None:
            return
        self.ending = ending
        self.phase = Phase.ENDED
        for pending in self.pending.clear():
            self._lost(pending, ending)
        self._out.append(events.Disconnected(ending.code, final=True))
        self._out.append(Hangup(ending.code))

    def _lost(self, pending: Pending, error: HallError) -> None:
        if not pending.internal:
            self._out.append(Failed(pending.id, error))
