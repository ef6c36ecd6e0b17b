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

import enum
import math
from collections.abc import Callable, Sequence

from google.protobuf.message import DecodeError

from hall_client import events
from hall_client.credentials import Credentials
from hall_client.errors import (
    HallError,
    Kicked,
    OutcomeUnknown,
    Refused,
    Replaced,
    SessionEnded,
    TicketRefused,
)
from hall_client.frames import frames
from hall_client.happenings import Answered, Failed, Hangup, Happening
from hall_client.mirror import Outcome, TableMirror
from hall_client.pending import TRANSIENT, Pending, PendingBook
from hall_client.tables import Tables
from paiju.service import ids
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2

BUILD = 1
OPENERS = ("open_guest", "register", "login")
_AT_TABLES = ("quick_join", "sit", "stand", "top_up", "ready", "act", "chat")
OPERATIONS = frozenset((*OPENERS, "renew", "change_password", "report", *_AT_TABLES))
_SHUT_OUT = frozenset({"FROZEN", "MAY_NOT_PLAY", "NO_SUCH_PLAYER", "UPGRADE_REQUIRED"})
_ENDINGS: dict[str, type[SessionEnded]] = {"REPLACED": Replaced, "KICKED": Kicked}


class Phase(enum.Enum):
    """OFFLINE: no connection. GREETED: no session yet. ENDED: do not come back."""

    OFFLINE = "offline"
    GREETING = "greeting"
    GREETED = "greeted"
    OPEN = "open"
    ENDED = "ended"


class Core:
    """See the module's head."""

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
        self.credentials = Credentials()
        self.wallet = hall_pb2.Wallet()
        self.welcome = hall_pb2.Welcome()
        self.pending = PendingBook()
        self.tables = Tables()
        self.resumes = 0
        self._client = client
        self._new_op = new_op
        self._out: list[Happening] = []
        self._opener: hall_pb2.Command | None = None
        self._hello = self._resume = 0

    # ---- what the caller asks for ----------------------------------------------------------

    def submit(
        self, command: hall_pb2.Command, *, now: float, deadline: float = math.inf
    ) -> Pending:
        """Accept a command; it gets its ids here. Raises what ended the session, if it has."""
        if self.ending is not None:
            raise self.ending
        kind = command.WhichOneof("body") or ""
        if kind == "renew":
            command.op = self.credentials.rotation_op or self._new_op()
        elif kind in OPERATIONS and not command.op:
            command.op = self._new_op()
        if kind in OPENERS:
            self._opener = hall_pb2.Command()
            self._opener.CopyFrom(command)
        if kind == "watch":
            mirror = self.tables.follow(command.watch.table)
            if mirror.known:
                command.watch.cursor.CopyFrom(mirror.cursor())
        return self.pending.add(command, now=now, deadline=deadline)

    def take(self) -> Sequence[Happening]:
        """What has happened since the last call, in order."""
        out, self._out = self._out, []
        return out

    def next_due(self) -> float:
        """When `packets` or `tick` has something to do; infinity: nothing."""
        connected = self.phase not in (Phase.OFFLINE, Phase.ENDED)
        return self.pending.next_due(may_send=lambda pending: connected and self._may_send(pending))

    def tick(self, now: float) -> None:
        """Give up commands whose time is over."""
        for pending in self.pending.expired(now):
            self._lost(pending, OutcomeUnknown(f"no answer to {pending.kind} in time"))

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
            client=self._client,
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
        commands = [p.message for p in self.pending.due(now, may_send=self._may_send)]
        return frames(commands)

    def _may_send(self, pending: Pending) -> bool:
        if pending.internal or self.phase is Phase.OPEN:
            return True
        openers = self.phase is Phase.GREETED and not self.credentials.open
        return openers and pending.kind in (*OPENERS, "resume", "list_rooms", "ping")

    def _internal(self, command: hall_pb2.Command, now: float, *, op: bytes = b"") -> int:
        command.op = op
        return self.pending.add(command, now=now, internal=True).id

    def _ask_resume(self, now: float) -> None:
        resume = self.credentials.resume(self.tables.cursors())
        self._resume = self._internal(
            hall_pb2.Command(resume=resume), now, op=self.credentials.rotation_op
        )

    # ---- from the gateway ------------------------------------------------------------------

    def receive(self, packet: bytes, now: float) -> None:
        """One packet. Raises ValueError when it cannot be read."""
        try:
            frame = hall_pb2.ServerFrame.FromString(packet)
        except DecodeError as error:
            raise ValueError("the gateway sent bytes that are no frame") from error
        for update in frame.updates:
            kind = update.WhichOneof("body")
            if kind == "answer":
                self._answer(update.answer, now)
            elif kind == "table":
                self._table(update.table, now)
            elif kind == "notice":
                self._notice(update.notice)
            elif kind == "presence":
                self._presence(update.presence)
            elif kind == "chat":
                self._out.append(events.ChatSaid(update.chat))
            elif kind == "grid":
                self._out.append(events.GridChanged(update.grid))
            elif kind == "wallet":
                self._wallet(update.wallet)

    def _answer(self, answer: hall_pb2.Answer, now: float) -> None:
        pending = self.pending.pop(answer.id)
        if pending is None:
            return
        if answer.HasField("refusal"):
            self._refused(pending, answer.refusal, now)
            return
        if answer.HasField("welcome"):
            self.welcome.CopyFrom(answer.welcome)
            if self.phase is Phase.GREETING:
                self.phase = Phase.GREETED
        elif answer.HasField("session"):
            self._session(pending, answer.session, now)
        elif answer.HasField("wallet"):
            self._wallet(answer.wallet)
        elif answer.HasField("seated"):
            self._seated(pending, answer.seated, now)
        elif answer.HasField("done"):
            self._done(pending)
        if not pending.internal:
            self._out.append(Answered(pending.id, answer))

    def _session(self, pending: Pending, session: hall_pb2.Session, now: float) -> None:
        resumed = self.credentials.open
        self.credentials.adopt(session, new_op=self._new_op)
        if session.HasField("wallet"):
            self._wallet(session.wallet)
        if self.phase is Phase.OPEN:
            return  # renewed
        self.phase = Phase.OPEN
        if pending.kind == "resume":
            self.resumes += 1
        named = self.tables.named if pending.kind == "resume" else frozenset()
        for ref in (*session.seats, *self.tables.refs()):
            if ref.table not in named:
                self._watch(ref, now)
        for room, shard in self.tables.grids:
            grid = hall_pb2.WatchGrid(room=room, shard=shard)
            self._internal(hall_pb2.Command(watch_grid=grid), now)
        self._out.append(events.Connected(self.welcome.gateway, resumed))

    def _watch(self, ref: common_pb2.TableRef, now: float) -> None:
        mirror = self.tables.follow(ref)
        if any(p.kind == "watch" and p.message.watch.table == ref for p in self.pending):
            return
        watch = hall_pb2.Watch(table=ref)
        if mirror.known:
            watch.cursor.CopyFrom(mirror.cursor())
        self._internal(hall_pb2.Command(watch=watch), now)

    def _seated(self, pending: Pending, seated: hall_pb2.Seated, now: float) -> None:
        mirror = self.tables.follow(seated.table)
        mirror.seat = seated.seat
        if pending.resent:
            self._watch(seated.table, now)  # the first answer's subscription is gone

    def _done(self, pending: Pending) -> None:
        command = pending.message
        if pending.kind == "stand":
            self._close_table(command.stand.table.table, "STOOD")
        elif pending.kind == "unwatch":
            self._close_table(command.unwatch.table.table, "UNWATCHED")
        elif pending.kind == "watch_grid":
            self.tables.grid(command.watch_grid)
        elif pending.kind == "resync":
            self.tables.resynced(command.resync.table.table)
        elif pending.kind == "logout":
            self.end(SessionEnded("LOGGED_OUT"))

    def _refused(self, pending: Pending, refusal: common_pb2.Refusal, now: float) -> None:
        error = Refused.of(refusal, locale=self.locale)
        if pending.id == self._hello:
            if error.code == "UPGRADE_REQUIRED":
                self.end(SessionEnded(error.code, error.sentence))
            else:
                self._out.append(Hangup(error.code, elsewhere=True))
        elif pending.id == self._resume:
            self._resume_refused(error, now)
        elif error.code in TRANSIENT and self.pending.again(
            pending, now=now, retry_after_ms=error.retry_after_ms
        ):
            pass
        elif pending.internal:
            if pending.kind == "resync":
                self.tables.resynced(pending.message.resync.table.table)
            elif pending.kind == "watch" and error.code != "STALE_SESSION":
                self._close_table(pending.message.watch.table.table, "TABLE_GONE")
            elif pending.kind in OPENERS:
                self.end(TicketRefused(error.code, error.sentence))
        else:
            if pending.kind in OPENERS:
                self._opener = None
            elif pending.kind == "watch":
                self._close_table(pending.message.watch.table.table, "TABLE_GONE")
            self._lost(pending, error)

    def _resume_refused(self, error: Refused, now: float) -> None:
        if error.code == "STALE_SESSION":
            self.end(Replaced(error.code, error.sentence))
        elif error.code == "BAD_TICKET":
            if self._opener is not None and self._opener.HasField("open_guest"):
                self.credentials = Credentials()
                self._reopen(now)
            else:
                self.end(TicketRefused(error.code, error.sentence))
        elif error.code in _SHUT_OUT:
            self.end(SessionEnded(error.code, error.sentence))
        else:
            self._out.append(Hangup(error.code, elsewhere=True))

    def _reopen(self, now: float) -> None:
        """A guest's device secret opens the account again; its seats come with the session."""
        assert self._opener is not None
        again = hall_pb2.Command()
        again.CopyFrom(self._opener)
        self._internal(again, now, op=self._new_op())

    # ---- tables ----------------------------------------------------------------------------

    def _table(self, update: hall_pb2.TableUpdate, now: float) -> None:
        mirror = self.tables.get(update.table.table)
        if mirror is None:
            return  # left meanwhile
        outcome = mirror.apply(update)
        if outcome in (Outcome.GAP, Outcome.MISMATCH):
            self._resync(mirror, now)
        self._out.append(
            events.TableChanged(
                table=update.table.table,
                epoch=update.epoch,
                seq=update.seq,
                outcome=outcome,
                snapshot=update.HasField("snapshot"),
                events=update.step.events if outcome is Outcome.APPLIED else (),
            )
        )

    def _resync(self, mirror: TableMirror, now: float) -> None:
        if self.tables.ask_resync(mirror.ref.table):
            resync = hall_pb2.Resync(table=mirror.ref, check=mirror.check)
            self._internal(hall_pb2.Command(resync=resync), now)

    def _presence(self, update: hall_pb2.TablePresence) -> None:
        mirror = self.tables.get(update.table.table)
        if mirror is not None:
            mirror.presence(update)
            self._out.append(events.PresenceChanged(update.table.table))

    def _close_table(self, table: int, reason: str) -> None:
        if self.tables.forget(table):
            self._out.append(events.TableClosed(table, reason))

    def _notice(self, notice: hall_pb2.Notice) -> None:
        table = notice.table.table
        self._out.append(events.Noticed(notice.code, notice.text, table, dict(notice.params)))
        ending = _ENDINGS.get(notice.code)
        if ending is not None:
            self.end(ending(notice.code, notice.text))
        elif notice.code == "DRAINING":
            self._out.append(Hangup("DRAINING", elsewhere=True))
        elif notice.code == "TABLE_RECOVERING":
            self.tables.recovering(table)
        elif notice.code in ("TABLE_GONE", "SEAT_LOST"):
            self._close_table(table, notice.code)

    def _wallet(self, wallet: hall_pb2.Wallet) -> None:
        self.wallet.CopyFrom(wallet)
        self._out.append(events.WalletChanged(wallet))

    # ---- the end ---------------------------------------------------------------------------

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
