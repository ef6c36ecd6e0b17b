"""`paiju admin collusion`: pairs of players that a person should look at."""

from __future__ import annotations

from typing import Annotated

import typer

from paiju.cli.admin_call import call_admin
from paiju.cli.admin_options import HOME, Address, DataDir, Json, KeyFile, show, table_of
from paiju.service.ids import now_us
from paiju.wire.v1 import data_pb2

FIND_S = 300.0
DAY_US = 86_400 * 10**6


def collusion(
    days: Annotated[float, typer.Option(min=0.01, help="How far back to look.")] = 30,
    limit: Annotated[int, typer.Option(min=1, max=1000, help="How many pairs.")] = 50,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Pairs that meet, lose to each other or spare each other more than chance explains.

    Reasons to look at their records, no proofs: nothing follows by itself.

    Example: paiju admin collusion --days 7 --json -
    """
    request = data_pb2.CollusionRequest(since_us=now_us() - int(days * DAY_US), limit=limit)
    reply = call_admin(
        lambda stub, meta: stub.FindCollusion(request, metadata=meta, timeout=FIND_S),
        address,
        key_file,
        data_dir,
    )
    table = table_of(
        "first", "second", "score", "signals", "hands", "met", "expected", "flow", "passes", "exp."
    )
    for pair in reply.pairs:
        table.add_row(
            str(pair.first),
            str(pair.second),
            f"{pair.score:.1f}",
            " ".join(pair.signals),
            str(pair.hands),
            str(pair.meetings),
            f"{pair.meetings_expected:.1f}",
            f"{pair.flow:+d}",
            str(pair.soft_passes),
            f"{pair.soft_expected:.0f}",
        )
    looked = f"{len(reply.pairs)} of {reply.pairs_seen} pairs, {reply.hands} hands"
    cut = "; only the newest hands were looked at" if reply.truncated else ""
    show(reply, json_file, table, looked + cut)
