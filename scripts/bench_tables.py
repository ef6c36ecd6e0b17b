"""Tables of one host: how fast they are made, what they weigh, what idle ones cost.

    python scripts/bench_tables.py --tables 5000 --idle 10 --json -

Everything of a host but its network, on an SQLite journal. Targets: 2,000 tables a second, 60 kB
each, 5,000 idle ones at most 2 % of a core. CPU seconds: other work on the machine adds little.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import sys
import tempfile
import time
import tracemalloc
from pathlib import Path

import uvloop

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from game_server.tables.table import Table  # noqa: E402
from paiju.rules.registry import Registry  # noqa: E402
from paiju.service import logs  # noqa: E402
from paiju.wire.v1 import common_pb2  # noqa: E402
from tests.perf.hosting import ROOM  # noqa: E402
from tests.unit.tables.host_rig import Rig  # noqa: E402

LEAST_PER_S = 2000.0
MOST_KB = 60.0
MOST_CORES = 0.02
WEIGHED = 500


async def measure(tables: int, idle_s: float) -> dict[str, float]:
    """{"created_per_s", "kb", "idle_cores"}; created per second of CPU, journal included."""
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
        rig = Rig(
            f"sqlite:///{folder}/journal.sqlite3",
            room=ROOM,
            game=Registry.default().latest(ROOM.game, {}),
            max_tables=tables + WEIGHED,
            stall_s=60.0,
        )
        desk = rig.host.desk
        shard = desk.open_shard((ROOM.id, 0))
        desk.close_spare_tables = lambda **_: None  # type: ignore[method-assign]  # keep them all
        made: list[Table] = []

        def make(count: int) -> None:
            for _ in range(count):
                number = 1 + len(made)
                ref = common_pb2.TableRef(room=ROOM.id, shard=0, table=number)
                shard.tables[number] = desk._make_table(ref, "")
                made.append(shard.tables[number])

        gc.collect()
        tracemalloc.start()
        before = tracemalloc.get_traced_memory()[0]
        make(WEIGHED)
        await rig.host.out.written()
        gc.collect()
        kb = (tracemalloc.get_traced_memory()[0] - before) / WEIGHED / 1000
        tracemalloc.stop()

        begun = time.process_time()
        while len(made) < tables:
            make(50)
            await asyncio.sleep(0)
        await rig.host.out.written()
        created = (tables - WEIGHED) / (time.process_time() - begun)

        await asyncio.sleep(1.5)  # what has just been made is shown once
        begun, wall = time.process_time(), time.monotonic()
        await asyncio.sleep(idle_s)
        cores = (time.process_time() - begun) / (time.monotonic() - wall)
        await rig.kill()
    return {
        "created_per_s": round(created),
        "kb": round(kb, 1),
        "idle_cores": round(cores, 4),
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=5000)
    parser.add_argument("--idle", type=float, default=10.0, help="seconds")
    parser.add_argument("--json", metavar="FILE", help="- is standard output")
    given = parser.parse_args()
    if given.tables <= WEIGHED:
        parser.error(f"more than {WEIGHED} tables")
    logs.configure("bench", level="ERROR")
    found = uvloop.run(measure(given.tables, given.idle))
    if given.json:
        text = json.dumps(found) + "\n"
        sys.stdout.write(text) if given.json == "-" else Path(given.json).write_text(text)
    holds = (
        found["created_per_s"] >= LEAST_PER_S
        and found["kb"] <= MOST_KB
        and found["idle_cores"] <= MOST_CORES
    )
    print(
        f"{found['created_per_s']} tables/s of CPU (>= {LEAST_PER_S:.0f}), "
        f"{found['kb']} kB each (<= {MOST_KB:.0f}), {given.tables} idle: "
        f"{100 * found['idle_cores']:.1f} % of a core (<= {100 * MOST_CORES:.0f}): "
        f"{'holds' if holds else 'DOES NOT HOLD'}",
        file=sys.stderr,
    )
    return 0 if holds else 1


if __name__ == "__main__":
    sys.exit(main())
