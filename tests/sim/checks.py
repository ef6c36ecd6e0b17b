"""What must hold in every world, whatever went wrong in it.

`not_converged` and `still_seated` are asked again and again while a healed world comes to rest;
`at_the_end` holds the clients' evidence, the journals' log and the books against each other.
Each complaint is a sentence; none is good.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import msgspec

from game_server.tables.play_clock import STILL_S
from game_server.tables.table import Table
from tests.sim.books import HOUSE, MINT
from tests.sim.client import Asked, SimClient
from tests.sim.hall import COINS
from tests.sim.world import World

TRANSIENT = frozenset({"RETRY", "BUSY", "TOO_FAST", "OUTCOME_UNKNOWN", "NO_HOST", "DRAINING"})
"""Refusals that say nothing about what will become of the operation."""
SLACK_S = 0.01
"""Timers fire a millisecond late."""


def _tables(world: World) -> dict[int, Table]:
    """The tables that a host serves now."""
    hosts = [life.table_host for life in world.owners() if life.table_host is not None]
    return {
        table.ref.table: table
        for host in hosts
        for shard in host.desk.shards.values()
        for table in shard
    }


# ---- while the world comes to rest ---------------------------------------------------------


def not_converged(world: World) -> Iterator[str]:
    """Clients whose boards are not what their hosts have."""
    tables = _tables(world)
    for bot in world.live_bots():
        client = bot.client
        if not client.connected:
            yield f"{client.process} is not connected"
            continue
        yield from _boards(client, tables)
        followed = {mirror.ref.table for mirror in client.core.tables}
        for number, table in tables.items():
            seat = table.seat_of(client.player)
            if seat is not None and table.roster.held(seat).seated and number not in followed:
                yield f"{client.process} sits at {number} and does not see it"


def _boards(client: SimClient, tables: Mapping[int, Table]) -> Iterator[str]:
    for mirror in client.core.tables:
        number = mirror.ref.table
        table = tables.get(number)
        if table is None:
            yield f"{client.process} sees table {number}, which is gone"
            continue
        place = (table.epoch, table.stream.seq)
        if (mirror.epoch, mirror.seq) != place:
            yield f"{client.process} is at {mirror.epoch}/{mirror.seq} of {number}, not at {place}"
            continue
        viewer = table.viewer_of(client.player)
        if mirror.parts != table.stream.view(viewer):
            yield f"{client.process} sees another table {number} than there is"


class EverybodySits:
    """Players of a healed world who had no seat yet since it was healed."""

    def __init__(self) -> None:
        self._sat: set[int] = set()

    def __call__(self, world: World) -> Iterator[str]:
        for bot in world.live_bots():
            client = bot.client
            if any(mirror.known and mirror.seat >= 0 for mirror in client.core.tables):
                self._sat.add(client.player)
            if client.player not in self._sat:
                yield f"{client.process} got no seat"


def still_seated(world: World) -> Iterator[str]:
    """Seats, stakes, hands and settlements that are left when everybody wanted to go."""
    for sitting in world.database.books.open_sittings():
        yield f"player {sitting.player} has a stake at table {sitting.table.table}"
    for number, table in _tables(world).items():
        for index, seat in enumerate(table.seats):
            if seat is not None:
                yield f"player {seat.player} has seat {index} of table {number}: {seat.state}"
        if table.playing:
            yield f"a hand goes on at table {number}"
    owners = {life.host: life for life in world.owners()}
    for name in world.host_names:
        life = owners.get(name)
        if life is None or life.outbox is None:
            yield f"host {name} does not serve"
        elif life.outbox.depth:
            yield f"{life.outbox.depth} settlements of {name} are not booked"


# ---- at the end ----------------------------------------------------------------------------


class Number(NamedTuple):
    """A committed row, decoded."""

    host: str
    epoch: int
    table: int
    seq: int
    kind: str
    body: Mapping[str, Any]


def at_the_end(world: World) -> Iterator[str]:
    numbers = [
        Number(host, commit.epoch, commit.row.table, commit.row.seq, commit.row.kind, body)
        for host, tables in world.tables.items()
        for commit, body in ((c, msgspec.json.decode(c.row.body)) for c in tables.log)
    ]
    yield from world.faults
    yield from _money(world)
    yield from _gapless(numbers)
    yield from _one_owner(world)
    yield from _settled_once(world, numbers)
    yield from _acknowledged(world, numbers)
    yield from _shown(world, numbers)
    yield from _no_time_lost(world, numbers)
    yield from _nothing_refused(world)


def _money(world: World) -> Iterator[str]:
    books = world.database.books
    total = sum(books.balances.values())
    if total:
        yield f"the books sum to {total}"
    minted = COINS * len(books.wallets)
    held = sum(books.balances[account] for account in books.wallets.values())
    if -books.balances[MINT] != minted or held + books.balances[HOUSE] != minted:
        yield f"of {minted} coins players have {held}, the house {books.balances[HOUSE]}"


def _gapless(numbers: list[Number]) -> Iterator[str]:
    """A table's numbers are 1, 2, 3 ..., each once, over all epochs."""
    last: dict[int, tuple[int, int]] = {}
    for row in numbers:
        epoch, seq = last.get(row.table, (0, 0))
        if row.seq != seq + 1:
            yield f"number {row.seq} of table {row.table} was written after number {seq}"
        if row.epoch < epoch:
            yield f"epoch {row.epoch} wrote to table {row.table} after epoch {epoch}"
        last[row.table] = (row.epoch, row.seq)


def _one_owner(world: World) -> Iterator[str]:
    """After a takeover nothing of an older epoch is written any more."""
    for host, tables in world.tables.items():
        takeovers = iter([*tables.takeovers, (0, float("inf"))])
        newest, (epoch, at) = 0, next(takeovers)
        for commit in tables.log:
            while commit.at > at:
                newest, (epoch, at) = epoch, next(takeovers)
            if commit.epoch < newest:
                yield f"{host}: epoch {commit.epoch} wrote after epoch {newest} had taken over"


def _settled_once(world: World, numbers: list[Number]) -> Iterator[str]:
    """Each hand that began was booked once, as it ended, or as void."""
    books = world.database.books
    begun = Counter((n.table, n.body["hand"]) for n in numbers if n.kind == "hand_begin")
    ended = {(n.table, n.body["hand"]): n.body for n in numbers if n.kind == "hand_end"}
    for hand, times in begun.items():
        if times > 1:
            yield f"hand {hand} began {times} times"
        booked = books.results.get(hand)
        if booked is None:
            yield f"hand {hand} was never booked"
        elif hand in ended:
            deltas = [seat.delta for seat in booked.seats]
            if deltas != ended[hand]["deltas"]:
                yield f"hand {hand} was booked as {deltas}, not {ended[hand]['deltas']}"
        elif booked.result != "void":
            yield f"hand {hand} was booked as {booked.result!r} and did not end"
    for hand in books.results:
        if hand not in begun:
            yield f"hand {hand} was booked and never began"


def _acknowledged(world: World, numbers: list[Number]) -> Iterator[str]:
    """What a client was told of an operation is what the journal says of it."""
    rows: defaultdict[tuple[int, str], list[Number]] = defaultdict(list)
    for row in numbers:
        if "op" in row.body and row.kind != "reserve":
            rows[row.body["player"], row.body["op"]].append(row)
    for (player, op), found in rows.items():
        kinds = Counter((row.kind, row.table) for row in found)
        for (kind, _), times in kinds.items():
            if times > 1:
                yield f"player {player}: operation {op[-8:]} ({kind}) was done {times} times"
    for bot in world.bots:
        for asked in bot.client.asked:
            yield from _told(asked, rows[asked.player, asked.op.hex()])


def _told(asked: Asked, found: list[Number]) -> Iterator[str]:
    who = f"player {asked.player}: {asked.kind} {asked.op.hex()[-8:]}"
    if asked.answer is not None:
        if asked.kind == "act":
            acted = asked.answer.acted
            if not any(
                (n.table, n.seq, n.kind) == (asked.table, acted.seq, "action") for n in found
            ):
                yield f"{who} was acknowledged as number {acted.seq} and is not in the journal"
        elif asked.kind == "quick_join" and not any(n.kind == "sit" for n in found):
            yield f"{who} was acknowledged and is not in the journal"
    elif found and asked.kind in ("act", "top_up") and _refused_for_good(asked):
        yield f"{who} was refused ({asked.failure}) and was carried out"


def _refused_for_good(asked: Asked) -> bool:
    return asked.failure.isupper() and asked.failure not in TRANSIENT


def _shown(world: World, numbers: list[Number]) -> Iterator[str]:
    """Nothing was shown that is not in the journal, under the epoch that showed it."""
    epochs = {(row.table, row.seq): row.epoch for row in numbers}
    for bot in world.bots:
        client = bot.client
        for shown in client.shown:
            epoch = epochs.get((shown.table, shown.seq))
            whole = shown.snapshot and epoch is not None and epoch <= shown.epoch
            if epoch != shown.epoch and not whole:
                yield (
                    f"{client.process} was shown number {shown.seq} of table {shown.table} in "
                    f"epoch {shown.epoch}; the journal has it in {epoch}"
                )
        counters = client.core.tables.counters()
        if counters.gaps or counters.mismatches:
            yield f"{client.process}: {counters.gaps} gaps, {counters.mismatches} wrong views"


def _no_time_lost(world: World, numbers: list[Number]) -> Iterator[str]:
    """A clock that ran out had all its time while a host was there to be played at."""
    made: dict[tuple[int, int], float] = {}
    for life in world.lives:
        made |= life.made  # of the last process that made it: that one was committed
    served = [interval for life in world.lives for interval in life.serving]
    turns = {(n.table, n.seq): n.body["turns"] for n in numbers if "turns" in n.body}
    for row in numbers:
        if row.kind != "action" or row.body["cause"] not in ("timeout", "trustee"):
            continue
        before = turns.get((row.table, row.seq - 1))
        if before is None:
            continue
        seat = row.body["seat"]
        began = before["began_at"][seat]
        first = turns.get((row.table, began))
        if first is None:
            continue
        left = next((ms for s, _, ms in first["running"] if s == seat), None)
        if left is None:
            continue
        allowed = (left + first["reserve"][seat]) / 1000
        if row.body["cause"] == "trustee":
            allowed = min(allowed, world.room.away_turn_ms / 1000)
        since, until = made[row.table, began], made[row.table, row.seq]
        had = _overlap(served, since, until)
        # A stop that is shorter than that cannot be told from a busy moment.
        stops = sum(since <= at <= until for life in world.lives for at in life.stops)
        if had < allowed - SLACK_S - STILL_S * stops:
            yield (
                f"seat {seat} of table {row.table} had {had:.3f} s of {allowed:.3f} s for "
                f"number {row.seq} ({row.body['cause']})"
            )


def _overlap(intervals: list[list[float]], begin: float, end: float) -> float:
    """How much of begin..end lies in the union of the intervals."""
    total, reached = 0.0, begin
    for low, high in sorted(intervals):
        low = max(low, reached)
        if high > low and low < end:
            total += min(high, end) - low
            reached = min(high, end)
    return total


def _nothing_refused(world: World) -> Iterator[str]:
    for message, code in world.database.books.refused:
        yield f"the ledger refused hand {message.table.table}/{message.hand}: {code}"
    for sitting, at in world.database.released:
        yield f"the stake of sitting {sitting} was released at {at:.1f} s by the sweeper"
    for life in world.lives:
        if life.outbox is not None and life.outbox.refused:
            yield f"the outbox of {life.process} keeps {len(life.outbox.refused)} refused hands"
