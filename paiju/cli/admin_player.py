"""`paiju admin player`: one player as operators need him, to answer what he asks."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.table import Table

from paiju.cli.admin_call import call_admin
from paiju.cli.admin_conduct import FOR_EVER_US, penalty_table
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    age_s,
    moment,
    show,
    table_of,
)
from paiju.service.ids import now_us
from paiju.wire.v1 import common_pb2, data_pb2

LARGEST_ID = 2**63


def player(
    who: Annotated[str, typer.Argument(metavar="NAME|ID", help="Name, or id of the player.")],
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """One player: balances, seats, session, penalties. A number is an id; `name:77` is a name.

    Example: paiju admin player Ann --json -
    """
    request = data_pb2.GetPlayerRequest(name=who.removeprefix("name:"))
    if who.isascii() and who.isdecimal() and int(who) < LARGEST_ID:
        request = data_pb2.GetPlayerRequest(player=int(who))
    reply = call_admin(
        lambda stub, meta: stub.GetPlayer(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    parts = [_person(reply), _sittings(reply), penalty_table(reply.penalties)]
    show(reply, json_file, *[part for part in parts if part.row_count])


def _person(reply: data_pb2.GetPlayerReply) -> Table:
    profile, wallet = reply.profile, reply.wallet
    table = table_of("what", "value")
    table.add_row("player", str(profile.player))
    table.add_row("name", profile.name)
    table.add_row("kind", "guest" if profile.guest else "member")
    table.add_row("since", moment(reply.created_us))
    table.add_row("may play", _may_play(reply.frozen_until_us))
    table.add_row("coins", f"{wallet.coin} free, {wallet.escrow} on tables")
    for rule_set, score in sorted(wallet.scores.items()):
        table.add_row(f"score {rule_set}", str(score))
    table.add_row("session", _session(reply))
    return table


def _may_play(frozen_until_us: int) -> str:
    if frozen_until_us <= now_us():
        return "yes"
    return "no" if frozen_until_us >= FOR_EVER_US else f"from {moment(frozen_until_us)}"


def _session(reply: data_pb2.GetPlayerReply) -> str:
    if not reply.HasField("session"):
        return "never"
    session = reply.session
    opened = f"number {session.epoch}, opened {moment(session.opened_us)}"
    place = f"{session.server} {session.gateway}".strip()
    if session.present:
        return f"connected at {place}, {opened}"
    return f"{'open, not connected' if session.live else 'ended'}; last at {place}, {opened}"


def _sittings(reply: data_pb2.GetPlayerReply) -> Table:
    table = table_of("table", "room", "seat", "stake", "host", "age s")
    for one in reply.sittings:
        coins = one.currency == common_pb2.COIN
        table.add_row(
            str(one.table.table),
            f"{one.table.room} {one.table.shard}",
            str(one.seat),
            str(one.stake) if coins else f"score {one.stake}",
            one.host,
            age_s(one.since_us),
        )
    return table
