"""What one action costs, part by part. `make bench` runs it; docs/profiling.md says how to go on.

    python scripts/bench_budget.py --tables 100 --rounds 600 --json -

Tables of `doudizhu_4p` play in this process, eight commands to a round, as many as come in 4 ms
at 2,000 a second. What went over the wire is kept and sent again through the other parts:

    sealed edge   a sealed frame in, four out: sessions and the seal, no transport
    hop           gateway <-> host over a Unix socket, both ends
    host          the rules' step, views, encoding: the loop of a host
    journal       its writer thread, on SQLite
    settlement    a hand's end in the ledger, shared among the hand's actions

CPU time of the part's own thread or process. Each figure is the quickest tenth of the rounds:
other work on the machine only adds. Budget: docs/performance.md.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path

import uvloop

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from paiju.service import logs  # noqa: E402
from paiju.service.process import tune_gc  # noqa: E402
from tests.perf.edging import Edging, quickest  # noqa: E402
from tests.perf.hopping import Hopping  # noqa: E402
from tests.perf.hosting import SEATS, Playing, Round, Spent  # noqa: E402
from tests.perf.settling import settlement_us  # noqa: E402

BUDGET_US = {"sealed edge": 60, "hop": 35, "host": 50, "journal": 40, "settlement": 15}
AT_ONCE = 8
WARM_UP = 40


async def measure(tables: int, rounds: int) -> dict[str, float]:
    """Microseconds of CPU per action, by part."""
    found: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
        playing = Playing(f"sqlite:///{folder}/journal.sqlite3", tables=tables)
        await playing.sit()
        tune_gc()
        loops, journals, kept, hands, actions = [], [], [], 0, 0
        for number in range(rounds + WARM_UP):
            spent = Spent()
            kept.append(await playing.round(AT_ONCE, spent))
            hands, actions = hands + spent.hands, actions + spent.actions
            if number >= WARM_UP and spent.actions == AT_ONCE:
                loop, journal = spent.us()
                loops.append(loop)
                journals.append(journal)
        await playing.close()
        found["host"], found["journal"] = quickest(loops), quickest(journals)
        found["sealed edge"] = await _edge(tables * SEATS, kept)
        found["hop"] = await _hop(Path(folder), kept)
        per_hand = await settlement_us(Path(folder))
        found["settlement"] = per_hand / ACTIONS_PER_HAND
    return {part: round(found[part], 1) for part in BUDGET_US}


ACTIONS_PER_HAND = 60
"""Of `doudizhu_4p` as the load tool's clients play it."""


async def _edge(players: int, kept: list[Round]) -> float:
    edging = Edging()
    await edging.enter(players)
    edging.follow(kept[:200])
    costs = []
    for one in kept:
        before = edging.cpu_s, edging.actions
        edging.play(one)
        if edging.actions - before[1] == AT_ONCE:
            costs.append(1e6 * (edging.cpu_s - before[0]) / AT_ONCE)
    await edging.close()
    return quickest(costs[WARM_UP:])


async def _hop(folder: Path, kept: list[Round]) -> float:
    hopping = Hopping(folder)
    await hopping.open()
    costs = []
    for one in kept:
        before = hopping.cpu_s, hopping.actions
        await hopping.play(one)
        if hopping.actions - before[1] == AT_ONCE:
            costs.append(1e6 * (hopping.cpu_s - before[0]) / AT_ONCE)
    await hopping.close()
    return quickest(costs[WARM_UP:])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tables", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=600)
    parser.add_argument("--json", metavar="FILE", help="- is standard output")
    given = parser.parse_args()
    logs.configure("bench", level="ERROR")
    found = uvloop.run(measure(given.tables, given.rounds))
    if given.json:
        text = json.dumps({"us_per_action": found, "budget_us": BUDGET_US}) + "\n"
        sys.stdout.write(text) if given.json == "-" else Path(given.json).write_text(text)
    out = sys.stderr
    print(f"{'CPU per action':<14} {'us':>7} {'budget':>7}", file=out)
    for part, us in found.items():
        over = "" if us <= BUDGET_US[part] else "  over"
        print(f"{part:<14} {us:>7.1f} {BUDGET_US[part]:>7}{over}", file=out)
    print(f"{'together':<14} {sum(found.values()):>7.1f} {sum(BUDGET_US.values()):>7}", file=out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
