"""Speed of the rules: every installed game, and Dou Dizhu beside OpenSpiel and RLCard.

    python scripts/bench_rules.py --rounds 5 --seconds 2 --write

The three engines of Dou Dizhu take turns, so that all see the same machine; a row is the
median of the rounds. `--write` puts both tables into docs/performance.md. OpenSpiel and RLCard
come from the extra `oracles`; `--python` names another interpreter that has them. An engine
that is missing is left out, and said so.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
BLOCK = re.compile(r"(<!-- bench_rules -->\n).*?(<!-- /bench_rules -->)", re.DOTALL)
Rates = dict[str, float]
GAME = "doudizhu"
WARM_UP_S = 2.0
"""Tables are built and caches filled; all engines get it."""


def ours(seconds: float) -> Rates:
    from paiju.cli.rules_bench import playouts
    from paiju.rules.registry import Registry

    played = playouts(Registry.default().latest(GAME), seconds)
    return rates(played.hands, played.actions, played.seconds)


def open_spiel(seconds: float) -> Rates:
    """Chance is drawn from its legal actions, which is quicker than from its distribution."""
    import pyspiel

    game, luck = pyspiel.load_game("dou_dizhu"), random.Random(1).random
    hands = actions = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        state = game.new_initial_state()
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(legal[int(luck() * len(legal))])
            actions += 1
        hands += 1
    return rates(hands, actions, spent)


def rlcard(seconds: float) -> Rates:
    import rlcard as package

    env, luck = package.make("doudizhu", config={"seed": 1}), random.Random(1).random
    hands = actions = 0
    begun = time.perf_counter()
    while (spent := time.perf_counter() - begun) < seconds:
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(luck() * len(legal))])
            actions += 1
        hands += 1
    return rates(hands, actions, spent)


ENGINES: dict[str, Callable[[float], Rates]] = {
    "paiju": ours,
    "open_spiel": open_spiel,
    "rlcard": rlcard,
}


def rates(hands: int, actions: int, seconds: float) -> Rates:
    return {"hands": hands / seconds, "actions": actions / seconds}


def version(engine: str) -> str:
    from importlib import metadata

    return metadata.version(engine.replace("_", "-"))


def asked(python: str, engine: str, seconds: float) -> dict[str, float | str] | None:
    """One engine for so many seconds, in a process of its own; None when it is missing."""
    command = [python, __file__, "--engine", engine, "--seconds", str(seconds)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"{engine}: {reason}", file=sys.stderr)
        return None
    found: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return found


def duel(rounds: int, seconds: float, python: str) -> dict[str, list[dict[str, float | str]]]:
    """Engine -> its rounds."""
    found: dict[str, list[dict[str, float | str]]] = {}
    for number in range(rounds):
        for engine in ENGINES:
            one = asked(sys.executable if engine == "paiju" else python, engine, seconds)
            if one is not None:
                found.setdefault(engine, []).append(one)
                hands = float(one["hands"])
                print(f"round {number + 1}: {engine} {hands:.0f} hands/s", file=sys.stderr)
    return found


def duel_table(found: dict[str, list[dict[str, float | str]]]) -> list[str]:
    lines = [
        "| engine | hands/s | actions/s | paiju plays so many times its hands |",
        "|---|---:|---:|---|",
    ]
    median = {
        engine: tuple(statistics.median(float(one[k]) for one in r) for k in ("hands", "actions"))
        for engine, r in found.items()
    }
    for engine, (hands, actions) in median.items():
        ratio = "" if engine == "paiju" else f"{median['paiju'][0] / hands:.2f}"
        name = "paiju" if engine == "paiju" else f"{engine} {found[engine][0]['version']}"
        lines.append(f"| {name} | {hands:,.0f} | {actions:,.0f} | {ratio} |")
    return lines


def games_table(seconds: float) -> list[str]:
    from paiju.cli.rules_bench import figures
    from paiju.rules.registry import Registry

    registry = Registry.default()
    lines = [
        "| game | hands/s | actions/s | legal_actions µs | is_legal + apply µs | all views µs |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for rule_set in registry.rule_sets():
        one = figures(registry.latest(rule_set.name), seconds)
        print(one, file=sys.stderr)
        cells = [f"{one[k]:,.0f}" for k in ("playouts_per_s", "actions_per_s")]
        cells += [f"{one[k]:.1f}" for k in ("legal_us", "apply_us", "view_us")]
        lines.append(f"| {rule_set.name} | {' | '.join(cells)} |")
    return lines


def machine() -> str:
    model = next(
        (
            line.split(":")[1].strip()
            for line in Path("/proc/cpuinfo").read_text().splitlines()
            if line.startswith("model name")
        ),
        platform.processor(),
    )
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} x {model}, Python {platform.python_version()}, load {load:.1f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=float, default=2.0, help="of each round and game")
    parser.add_argument("--python", default=sys.executable, help="that has the oracles")
    parser.add_argument("--write", action="store_true", help="into docs/performance.md")
    parser.add_argument("--engine", choices=ENGINES, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.engine:
        ENGINES[given.engine](WARM_UP_S)
        result: dict[str, float | str] = dict(ENGINES[given.engine](given.seconds))
        print(json.dumps({**result, "version": version(given.engine)}))
        return 0
    begun = machine()
    found = duel(given.rounds, given.seconds, given.python)
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    command = f"scripts/bench_rules.py --rounds {given.rounds} --seconds {given.seconds:g}"
    text = "\n".join(
        [
            f"`{command}`, {when}; {begun} when it began.",
            "",
            "Random legal play, whole hands with deal and bidding. Medians of the rounds,",
            "each engine after two seconds of warming up.",
            "",
            *duel_table(found),
            "",
            "Every game; medians in microseconds over actions of seats. All views: those of all",
            "seats and the spectators after an action, as texts, and what changed in them.",
            "",
            *games_table(given.seconds),
            "",
        ]
    )
    print(text)
    if given.write:
        PAGE.write_text(BLOCK.sub(lambda m: m[1] + text + m[2], PAGE.read_text("utf-8")), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
