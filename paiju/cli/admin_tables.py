"""`paiju admin tables`: tables that stand still because the ledger refused a hand."""

from __future__ import annotations

from typing import Annotated

import typer

from paiju.cli.admin_call import call_admin
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    Reason,
    show,
    table_of,
)
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

VOID_HELP = """The same as `tables void`: nobody won or lost that hand, stakes return.

    Example: paiju admin void 20481 7 --reason "sitting lost in the restore of May 2"
    """

tables = typer.Typer(no_args_is_help=True, help="Tables that stand still: look, and let go.")


@tables.command("list")
def list_tables(
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Hands that the ledger refused: no other begins at their tables, no stake is returned.

    Example: paiju admin tables list --json -
    """
    reply = call_admin(
        lambda stub, meta: stub.RefusedHands(
            data_pb2.RefusedHandsRequest(), metadata=meta, timeout=CALL_S
        ),
        address,
        key_file,
        data_dir,
    )
    table = table_of("table", "hand", "room", "host", "refused as", "s ago", "players")
    for one in reply.hands:
        table.add_row(
            str(one.table.table),
            str(one.hand),
            one.table.room,
            one.host,
            one.code,
            f"{(reply.now_us - one.refused_us) / 1e6:.0f}",
            " ".join(map(str, one.players)),
        )
    show(reply, json_file, table)


@tables.command("void")
def void(
    table: Annotated[int, typer.Argument(help="Id of the table.")],
    hand: Annotated[int, typer.Argument(help="Number of the hand.")],
    reason: Reason,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Nobody won or lost that hand: stakes return as the ledger has them, the table is free again.

    Example: paiju admin tables void 20481 7 --reason "sitting lost in the restore of May 2"
    """
    request = data_pb2.VoidHandRequest(op=new_op(), table=table, hand=hand, reason=reason)
    reply = call_admin(
        lambda stub, meta: stub.VoidHand(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, f"table {table}, hand {hand}: void; its host hears of it within 30 s")
