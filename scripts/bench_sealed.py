"""What the seal costs: server CPU per 1,000 actions, sealed and unsealed, in one run.

    python scripts/bench_sealed.py --rounds 8 --json -

One hall (data server, table host) with two gateways, one of which gets a channel that seals
nothing as its constructor's argument, by the few lines in `UNSEALED` below: the product has no
setting for it. The same bots play the same number of hands through the one and the other, in the
order A B B A ...; what is compared is the CPU of the gateway in use, the table host and the data
server together, per action. Bots are in this process and are not counted. Target: at most 15 %
more. Other work on the machine moves single rounds by more than that, so the medians count; run
it when nothing else does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hall_client import client as client_module  # noqa: E402
from hall_client.bots.mind import GameMind  # noqa: E402
from hall_client.links import Pins  # noqa: E402
from hall_client.load.driver import Driver, LoadPlan  # noqa: E402
from paiju.rules.registry import Registry  # noqa: E402
from tests.integration.gateway.plain import Plain  # noqa: E402
from tests.integration.hall_client.mini_hall import MiniHall  # noqa: E402

MOST = 1.15
UNSEALED = """
import sys
from game_server.gateway import main
from tests.integration.gateway.plain import Plain
sealed = main.make_gateway
def unsealed(settings, packages):
    gateway = sealed(settings, packages)
    gateway._channel = Plain
    return gateway
main.make_gateway = unsealed
main.main()
"""
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


class Hall(MiniHall):
    """Gateway 0 is the product's, gateway 1 seals nothing."""

    def _gateway_program(self, number: int) -> tuple[str, ...]:
        return ("-c", UNSEALED) if number else super()._gateway_program(number)

    def cpu_s(self, gateway: int) -> float:
        """So far, of the processes that work for players of that gateway."""
        roles = (f"gateway-{gateway}", "host", "data")
        return sum(_cpu_s(self.processes[role]) for role in roles)


class PlainPins(Pins):
    def channel(self, address: str) -> Plain:  # type: ignore[override]  # the other end is plain
        return Plain()


@dataclass(frozen=True)
class Round:
    sealed: bool
    actions: int
    hands: int
    cpu_s_per_1000: float


def _cpu_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK_S


async def play(hall: Hall, registry: Registry, *, sealed: bool, players: int, hands: int) -> Round:
    gateway = 0 if sealed else 1
    plan = LoadPlan(
        gateways=[hall.gateways[gateway]],
        server_keys=hall.server_keys,
        room="doudizhu.novice",
        players=players,
        hands=hands,
        drops=0,
        drop_rate=0.0,
        seed=7,
        think_s=(0.05, 0.25),  # as in `paiju demo`
        deadline_s=300,
    )
    client_module.Pins = Pins if sealed else PlainPins  # type: ignore[misc]  # the bots' end
    before = hall.cpu_s(gateway)
    result = await Driver(plan, make_mind=lambda _: GameMind(registry)).run()
    spent = hall.cpu_s(gateway) - before
    if result.errors:
        raise SystemExit(f"the bots complain: {result.errors[:3]}")
    return Round(sealed, result.actions, result.hands, round(1000 * spent / result.actions, 4))


async def measure(*, rounds: int, players: int, hands: int) -> list[Round]:
    registry = Registry.default()
    done = []
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
        async with Hall(Path(folder), gateways=2) as hall:
            for gateway in (True, False):  # caches warm up, code is loaded
                await play(hall, registry, sealed=gateway, players=players, hands=players // 3)
            for number in range(rounds):
                sealed = number % 4 in (0, 3)
                found = await play(hall, registry, sealed=sealed, players=players, hands=hands)
                kind = "sealed  " if sealed else "unsealed"
                print(
                    f"{kind} {found.cpu_s_per_1000:.3f} s per 1,000 ({found.actions} actions)",
                    file=sys.stderr,
                )
                done.append(found)
    return done


def of(rounds: Sequence[Round], *, sealed: bool) -> list[float]:
    return [done.cpu_s_per_1000 for done in rounds if done.sealed is sealed]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8, help="an even number")
    parser.add_argument("--players", type=int, default=60)
    parser.add_argument("--hands", type=int, default=80, help="of each round")
    parser.add_argument("--json", metavar="FILE", help="- is standard output")
    given = parser.parse_args()
    if given.rounds < 2 or given.rounds % 2:
        parser.error("--rounds is an even number")
    rounds = asyncio.run(measure(rounds=given.rounds, players=given.players, hands=given.hands))
    sealed, unsealed = of(rounds, sealed=True), of(rounds, sealed=False)
    ratio = statistics.median(sealed) / statistics.median(unsealed)
    result = {
        "ratio": round(ratio, 4),
        "sealed": statistics.median(sealed),
        "unsealed": statistics.median(unsealed),
        "load_average": os.getloadavg()[0],
        "rounds": [asdict(done) for done in rounds],
    }
    if given.json:
        text = json.dumps(result) + "\n"
        sys.stdout.write(text) if given.json == "-" else Path(given.json).write_text(text)
    print(
        f"server CPU per 1,000 actions: {result['sealed']:.3f} s sealed, "
        f"{result['unsealed']:.3f} s unsealed, ratio {ratio:.3f} (<= {MOST}): "
        f"{'holds' if ratio <= MOST else 'DOES NOT HOLD'}",
        file=sys.stderr,
    )
    return 0 if ratio <= MOST else 1


if __name__ == "__main__":
    sys.exit(main())
