"""Who is here, for operators: open sessions, and ending one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from data_server.backoffice import DEFAULT_ROWS, MAX_ROWS, check_reason
from data_server.follow import Followers
from data_server.store import audits, dossiers, players, sessions
from data_server.store.database import Database
from data_server.store.operations import Operations
from data_server.store.sessions import Ended
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2


@dataclass(frozen=True, kw_only=True)
class Attendance:
    database: Database
    operations: Operations
    followers: Followers
    clock: Callable[[], int]

    async def sessions(self, request: data_pb2.SessionsRequest) -> data_pb2.SessionsReply:
        limit = min(request.limit or DEFAULT_ROWS, MAX_ROWS)
        rows = await self.database.read(lambda tx: dossiers.open_sessions(tx, request, limit=limit))
        return data_pb2.SessionsReply(sessions=rows)

    async def kick(self, request: data_pb2.KickRequest, *, who: str) -> data_pb2.KickReply:
        """No penalty: who is kicked may log in again."""
        check_reason(request.reason)
        ended: list[Ended] = []

        def work(tx: Connection) -> data_pb2.KickReply:
            if players.by_id(tx, request.player) is None:
                raise Refused("NO_SUCH_PLAYER")
            now = self.clock()
            ended[:] = sessions.end(
                tx, request.player, reason=sessions.KICKED, now_us=now, tell_everywhere=True
            )
            epoch = ended[0].below - 1 if ended else 0
            audits.append(
                tx,
                who=who,
                what="kick",
                target=f"player {request.player}",
                why=request.reason,
                before=f"session {epoch}" if epoch else None,
                after=None,
                now_us=now,
            )
            return data_pb2.KickReply(ended_epoch=epoch)

        body = data_pb2.KickRequest(player=request.player, reason=request.reason)
        reply = await self.operations.once(
            request.op, kind="Kick", body=body, answer=data_pb2.KickReply, work=work
        )
        self.followers.session_ended(ended)
        return reply
