"""`paiju admin sessions | kick | freeze`: who is here, and sending somebody away."""

from __future__ import annotations

from typing import Annotated

import typer

from paiju.cli.admin_call import call_admin
from paiju.cli.admin_conduct import penalty_table
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    Reason,
    age_s,
    show,
    table_of,
)
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

PlayerId = Annotated[int, typer.Argument(help="Id of the player.")]


def sessions(
    server: Annotated[str, typer.Option(help="Only of this game server.")] = "",
    present: Annotated[
        bool, typer.Option("--present", help="Only players who are connected now.")
    ] = False,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many rows.")] = 100,
    after: Annotated[int, typer.Option(min=0, help="Only players with a higher id.")] = 0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Open sessions, by id of the player; the last id with --after shows the next ones.

    Example: paiju admin sessions --server gs7 --present
    """
    request = data_pb2.SessionsRequest(after=after, limit=limit, server=server, present=present)
    reply = call_admin(
        lambda stub, meta: stub.Sessions(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    table = table_of("player", "name", "kind", "session", "connected", "server", "gateway", "age s")
    for one in reply.sessions:
        table.add_row(
            str(one.player),
            one.name,
            "guest" if one.guest else "member",
            str(one.session.epoch),
            "yes" if one.session.present else "no",
            one.session.server,
            one.session.gateway,
            age_s(one.session.opened_us),
        )
    show(reply, json_file, table)


def kick(
    player: PlayerId,
    reason: Reason,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """End a player's session within two seconds; the player may log in again. His seat counts as
    away until then, and nothing is taken from him.

    Example: paiju admin kick 1234 --reason "his device was stolen, call of 3 May"
    """
    request = data_pb2.KickRequest(op=new_op(), player=player, reason=reason)
    reply = call_admin(
        lambda stub, meta: stub.Kick(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    told = f"session {reply.ended_epoch} ended" if reply.ended_epoch else "had no open session"
    show(reply, json_file, f"player {player}: {told}")


def freeze(
    player: PlayerId,
    reason: Reason,
    hours: Annotated[int, typer.Option(min=1, help="For so long.")],
    report: Annotated[int, typer.Option(help="The report it answers.")] = 0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Keep a player out for some hours; the same as `punish ID freeze`. `lift` ends it.

    Example: paiju admin freeze 1234 --hours 24 --reason "abuse, report 20481"
    """
    request = data_pb2.PunishRequest(
        op=new_op(), player=player, action="freeze", amount=hours, reason=reason, report=report
    )
    reply = call_admin(
        lambda stub, meta: stub.Punish(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, penalty_table([reply.penalty]))
