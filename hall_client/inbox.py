"""What a core does with the packets of a gateway. See core.py."""

from __future__ import annotations

from google.protobuf.message import DecodeError

from hall_client import events
from hall_client.errors import Kicked, Refused, Replaced, SessionEnded, TicketRefused
from hall_client.happenings import Answered, Hangup
from hall_client.mirror import Outcome, TableMirror
from hall_client.pending import TRANSIENT, Pending
from hall_client.state import OPENERS, Phase, State
from paiju.wire.v1 import common_pb2, hall_pb2

_SHUT_OUT = frozenset({"FROZEN", "MAY_NOT_PLAY", "NO_SUCH_PLAYER", "UPGRADE_REQUIRED"})
_ENDINGS: dict[str, type[SessionEnded]] = {"REPLACED": Replaced, "KICKED": Kicked}


class Inbox(State):
    """`receive` is its only public method."""

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
            elif kind == "penalty":
                self._penalty(update.penalty)
            elif kind == "rooms":
                self._out.append(events.RoomsChanged(update.rooms))

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
        self.credentials.adopt(session, new_op=self.new_op)
        if session.HasField("wallet"):
            self._wallet(session.wallet)
        for notice in session.penalties:
            self._penalty(notice)
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
        error.op = pending.message.op.hex()
        if pending.id == self._hello:
            if error.code == "UPGRADE_REQUIRED":
                self.end(SessionEnded(error.code, error.sentence))
            else:
                hint = error.params.get("elsewhere", "")
                self._out.append(Hangup(error.code, elsewhere=True, hint=hint))
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
            self._without_ticket(error, now)
        elif error.code in _SHUT_OUT:
            self.end(SessionEnded(error.code, error.sentence))
        else:
            self._out.append(Hangup(error.code, elsewhere=True))

    def _without_ticket(self, error: Refused, now: float) -> None:
        """A guest's device secret opens the account again; anybody else has to log in."""
        if self._opener is not None and self._opener.HasField("open_guest"):
            self.credentials.forget()
            self._reopen(now)
        else:
            self.end(TicketRefused(error.code, error.sentence))

    # ---- tables ----------------------------------------------------------------------------

    def _table(self, update: hall_pb2.TableUpdate, now: float) -> None:
        mirror = self.tables.get(update.table.table)
        if mirror is None and update.HasField("snapshot") and update.snapshot.seat >= 0:
            # A seat's first snapshot may come before the answer that tells of the seat.
            mirror = self.tables.follow(update.table)
        if mirror is None:
            # The snapshot of a new seat may overtake the answer that says where it is.
            sitting = self.pending.any_of("quick_join", "sit")
            if not (sitting and update.HasField("snapshot")):
                return  # left meanwhile
            mirror = self.tables.follow(update.table)
        seat = mirror.seat
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
                seat=mirror.seat,
            )
        )
        if seat >= 0 and mirror.seat < 0:
            # Lost while we were away: the notice went to a connection that was gone.
            self._close_table(update.table.table, "SEAT_LOST")
            unwatch = hall_pb2.Unwatch(table=update.table)
            self._internal(hall_pb2.Command(unwatch=unwatch), now)

    def _resync(self, mirror: TableMirror, now: float) -> None:
        if self.tables.ask_resync(mirror.ref.table):
            resync = hall_pb2.Resync(table=mirror.ref, check=mirror.check)
            self._internal(hall_pb2.Command(resync=resync), now)

    def _presence(self, update: hall_pb2.TablePresence) -> None:
        mirror = self.tables.get(update.table.table)
        if mirror is not None:
            mirror.presence(update)
            self._out.append(events.PresenceChanged(update.table.table))

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
        self.vault.put("wallet", wallet.SerializeToString())
        self._out.append(events.WalletChanged(wallet))

    def _penalty(self, notice: hall_pb2.PenaltyNotice) -> None:
        if notice.id not in self.penalties:
            self.penalties.add(notice.id)
            self._out.append(events.Penalized(notice))
