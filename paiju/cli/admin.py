"""`paiju admin ...`: operators' work, authenticated by a key and audited by the data server."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from paiju.cli import admin_backup, admin_conduct
from paiju.cli.admin_call import call_admin
from paiju.cli.admin_certificates import certificates
from paiju.cli.admin_collusion import collusion
from paiju.cli.admin_doctor import doctor
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    Reason,
    age_s,
    moment,
    show,
    table_of,
)
from paiju.cli.admin_player import player
from paiju.cli.admin_policy import policy
from paiju.cli.admin_roll import roll
from paiju.cli.admin_rooms import rooms
from paiju.cli.admin_secrets import secrets
from paiju.cli.admin_tables import tables
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

app = typer.Typer(
    no_args_is_help=True,
    help="Operators' work: nodes, drain, roll, player, grant, ledger, audit, reports, "
    "penalties, policy, rooms, tables, collusion, copies, certificates, secrets, doctor. "
    "Example: paiju admin nodes --key-file hall/admin-key",
)
app.command(name="doctor")(doctor)
app.command(name="backup")(admin_backup.backup)
app.command(name="restore")(admin_backup.restore)
app.command(name="restored")(admin_backup.restored)
app.command(name="collusion")(collusion)
app.command(name="player")(player)
app.command(name="roll")(roll)
app.command(name="punish")(admin_conduct.punish)
app.command(name="penalties")(admin_conduct.penalties)
app.command(name="appeal")(admin_conduct.appeal)
app.command(name="uphold")(admin_conduct.uphold)
app.command(name="lift")(admin_conduct.lift)
app.add_typer(admin_conduct.reports, name="reports")
app.add_typer(policy, name="policy")
app.add_typer(certificates, name="certificates")
app.add_typer(tables, name="tables")
app.add_typer(secrets, name="secrets")
app.add_typer(rooms, name="rooms")


@app.command()
def nodes(
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Game servers and table hosts, and who is alive.

    Example: paiju admin nodes --json -
    """
    reply = call_admin(
        lambda stub, meta: stub.Nodes(data_pb2.NodesRequest(), metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    table = table_of("server", "cell", "state", "players", "address", "seen s ago")
    for node in reply.nodes:
        ago = (reply.now_us - node.last_seen_us) / 1e6
        table.add_row(
            node.server,
            node.cell,
            _state(node),
            f"{node.players}/{node.max_players}",
            node.address,
            f"{ago:.0f}",
        )
    hosts = table_of("host", "server", "epoch", "state", "tables", "players")
    for host in reply.hosts:
        hosts.add_row(
            host.host,
            host.server,
            str(host.epoch),
            _state(host),
            f"{host.tables}/{host.max_tables}",
            str(host.players),
        )
    show(reply, json_file, table, hosts)


@app.command()
def drain(
    server: Annotated[str, typer.Argument(help="Name of the game server.")],
    reason: Reason,
    off: Annotated[bool, typer.Option("--off", help="Let it take new tables again.")] = False,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Empty a game server: no new tables, players are asked to move. --off takes it back.

    Example: paiju admin drain gs7 --reason "kernel update"
    """
    request = data_pb2.DrainServerRequest(op=new_op(), server=server, on=not off, reason=reason)
    reply = call_admin(
        lambda stub, meta: stub.DrainServer(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, f"{server}: {'takes tables again' if off else 'drains'}")


@app.command(context_settings={"ignore_unknown_options": True})
def grant(
    player: Annotated[int, typer.Argument(help="Id of the player.")],
    amount: Annotated[int, typer.Argument(help="Coins; negative takes back, never below 0.")],
    reason: Reason,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Give a player coins, or take them back.

    Example: paiju admin grant 1234 500 --reason "lost hand, ticket 88"
    """
    request = data_pb2.GrantRequest(op=new_op(), player=player, amount=amount, reason=reason)
    reply = call_admin(
        lambda stub, meta: stub.Grant(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, f"player {player} has {reply.wallet.coin} coins")


@app.command()
def ledger(
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Sum the whole ledger; exit 1 when it does not come out even.

    Example: paiju admin ledger --json ledger.json
    """
    reply = call_admin(
        lambda stub, meta: stub.CheckLedger(
            data_pb2.CheckLedgerRequest(), metadata=meta, timeout=600
        ),
        address,
        key_file,
        data_dir,
    )
    table = table_of("what", "value")
    for field in reply.DESCRIPTOR.fields:
        if field.name != "checked_us":
            table.add_row(field.name, str(getattr(reply, field.name)))
    table.add_row("checked", f"{moment(reply.checked_us)}, {age_s(reply.checked_us)} s ago")
    wrong = reply.sum or reply.unbalanced or reply.mismatched
    verdict = "the ledger is WRONG: sum, unbalanced and mismatched must be 0"
    show(reply, json_file, table, verdict if wrong else "the ledger is even")
    if wrong:
        raise typer.Exit(1)


@app.command()
def audit(
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many rows.")] = 50,
    before: Annotated[int, typer.Option(min=0, help="Only rows with a lower id.")] = 0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """What operators changed, newest first.

    Example: paiju admin audit --limit 20
    """
    request = data_pb2.ListAuditRequest(before=before, limit=limit)
    reply = call_admin(
        lambda stub, meta: stub.ListAudit(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    table = table_of("id", "age s", "who", "what", "target", "why", "before", "after")
    for row in reply.rows:
        age = age_s(row.time_us)
        table.add_row(
            str(row.id), age, row.who, row.what, row.target, row.why, row.before, row.after
        )
    show(reply, json_file, table)


def _state(node: Any) -> str:
    if not node.alive:
        return "gone"
    return "draining" if node.draining else "alive"
