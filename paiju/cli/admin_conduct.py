"""`paiju admin reports | penalties | punish | appeal | uphold | lift`: conduct of players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated

import typer
from rich.table import Table

from paiju.cli.admin_call import call_admin
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
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

FOR_EVER_US = 9 * 10**15

reports = typer.Typer(no_args_is_help=True, help="What was reported, and what was decided.")

Limit = Annotated[int, typer.Option(min=1, max=1000, help="How many rows.")]
Before = Annotated[int, typer.Option(min=0, help="Only rows older than this id.")]
PlayerOption = Annotated[int, typer.Option("--player", min=0, help="Only about this player.")]
PenaltyId = Annotated[int, typer.Argument(help="Id of the penalty.")]


@reports.command("list")
def list_reports(
    player: PlayerOption = 0,
    kind: Annotated[str, typer.Option(help="Only this kind, e.g. cheat, vault.")] = "",
    source: Annotated[str, typer.Option(help="player, client, gateway or host.")] = "",
    limit: Limit = 50,
    before: Before = 0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Reports and signals, newest first.

    Example: paiju admin reports list --source player --json -
    """
    request = data_pb2.ListReportsRequest(
        player=player, kind=kind, source=source, limit=limit, before=before
    )
    reply = call_admin(
        lambda stub, meta: stub.ListReports(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    table = table_of("id", "age s", "source", "kind", "about", "by", "decided", "detail")
    for row in reply.rows:
        age = age_s(row.time_us)
        decided = row.action if row.counted else f"{row.action} (not counted)"
        by = str(row.reporter or row.server)
        table.add_row(
            str(row.id), age, row.source, row.kind, str(row.player), by, decided, row.detail
        )
    show(reply, json_file, table)


@reports.command("show")
def show_report(
    report: Annotated[int, typer.Argument(help="Id of the report.")],
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """One report with its evidence and what followed.

    Example: paiju admin reports show 20481
    """
    request = data_pb2.GetReportRequest(id=report)
    reply = call_admin(
        lambda stub, meta: stub.GetReport(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    table = table_of("what", "value")
    for field, value in reply.row.ListFields():
        table.add_row(field.name, str(value))
    evidence = bytes.fromhex(reply.evidence_hex)
    table.add_row("evidence", repr(evidence)[2:-1])
    table.add_row("evidence_sha256", reply.evidence_sha256)
    followed = [reply.penalty] if reply.HasField("penalty") else []
    show(reply, json_file, table, penalty_table(followed))


def penalties(
    player: PlayerOption = 0,
    limit: Limit = 50,
    before: Before = 0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Penalties and what became of them, newest first.

    Example: paiju admin penalties --player 1234
    """
    request = data_pb2.ListPenaltiesRequest(player=player, limit=limit, before=before)
    reply = call_admin(
        lambda stub, meta: stub.ListPenalties(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, penalty_table(list(reply.rows)))


def punish(
    player: Annotated[int, typer.Argument(help="Id of the player.")],
    action: Annotated[str, typer.Argument(help="warn, fine, freeze or ban.")],
    reason: Reason,
    coins: Annotated[int, typer.Option(help="Of a fine.")] = 0,
    hours: Annotated[int, typer.Option(help="Of a freeze.")] = 0,
    report: Annotated[int, typer.Option(help="The report it answers.")] = 0,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Give a penalty by hand. A freeze and a ban end all sessions within two seconds.

    Example: paiju admin punish 1234 freeze --hours 24 --reason "abuse, report 20481"
    """
    request = data_pb2.PunishRequest(
        op=new_op(),
        player=player,
        action=action,
        amount=coins or hours,
        reason=reason,
        report=report,
    )
    reply = call_admin(
        lambda stub, meta: stub.Punish(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, penalty_table([reply.penalty]))


def _step(name: str, told: str) -> Callable[..., None]:
    """A command that notes a step of a penalty. told: its help."""

    def command(
        penalty: PenaltyId,
        reason: Reason,
        json_file: Json = None,
        address: Address = None,
        key_file: KeyFile = None,
        data_dir: DataDir = HOME,
    ) -> None:
        request = data_pb2.StepPenaltyRequest(
            op=new_op(), penalty=penalty, step=name, reason=reason
        )
        reply = call_admin(
            lambda stub, meta: stub.StepPenalty(request, metadata=meta, timeout=CALL_S),
            address,
            key_file,
            data_dir,
        )
        show(reply, json_file, penalty_table([reply.penalty]))

    command.__doc__ = told
    return command


appeal = _step(
    "appeal",
    """Note that the player objects; the answer is `uphold` or `lift`.

    Example: paiju admin appeal 20483 --reason "mail of 3 May: it was his brother"
    """,
)
uphold = _step(
    "uphold",
    """Answer an appeal: the penalty stands.

    Example: paiju admin uphold 20483 --reason "the record shows the same device"
    """,
)
lift = _step(
    "lift",
    """Take a penalty back: a fine is returned, a freeze or ban ends.

    Example: paiju admin lift 20483 --reason "a fault of ours, ticket 91"
    """,
)


def penalty_table(rows: Sequence[data_pb2.Penalty]) -> Table:
    table = table_of("penalty", "age s", "player", "action", "what", "by", "reason", "since")
    for row in rows:
        age = age_s(row.time_us)
        since = "; ".join(f"{step.step}: {step.why}" for step in row.steps)
        table.add_row(
            str(row.id), age, str(row.player), row.action, _what(row), row.who, row.reason, since
        )
    return table


def _what(row: data_pb2.Penalty) -> str:
    if row.action == "fine":
        return f"{row.taken} of {row.amount} coins"
    if row.action == "freeze":
        return f"until {moment(row.until_us)}"
    return "for ever" if row.until_us >= FOR_EVER_US else ""
