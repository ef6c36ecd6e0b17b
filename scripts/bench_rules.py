"""Speed of the rules: every installed game, and Dou Dizhu beside OpenSpiel and RLCard.

    python scripts/bench_rules.py --rounds 5 --seconds 2 --write

The engines of Dou Dizhu take turns, so that all see the same machine; a row is the median of
the rounds. A second is one of CPU time: other programs take none of it, though they still cost
cache. The rules are played as they are and as the optional compiled build has them, which is
made in a temporary folder (compile_rules.py). `--write` puts both tables into
docs/performance.md. OpenSpiel and RLCard come from the extra `oracles`; `--python` names another
interpreter that has them. An engine that is missing is left out, and said so.
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
import tempfile
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from compile_rules import compiled_tree

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs/performance.md"
BLOCK = re.compile(r"(<!-- bench_rules -->\n).*?(<!-- /bench_rules -->)", re.DOTALL)
Rates = dict[str, float]
GAME = "doudizhu"
WARM_UP_S = 2.0
"""Tables are built and caches filled; all engines get it."""
WORST_OF = 60
"""Hands of each game among which the dearest list is looked for."""


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
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
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
    begun = time.process_time()
    while (spent := time.process_time() - begun) < seconds:
        state, _ = env.reset()
        while not env.is_over():
            legal = list(state["legal_actions"])
            state, _ = env.step(legal[int(luck() * len(legal))])
            actions += 1
        hands += 1
    return rates(hands, actions, spent)


COMPILED = "paiju, compiled"
ENGINES: dict[str, Callable[[float], Rates]] = {
    "paiju": ours,
    COMPILED: ours,
    "open_spiel": open_spiel,
    "rlcard": rlcard,
}


def rates(hands: int, actions: int, seconds: float) -> Rates:
    return {"hands": hands / seconds, "actions": actions / seconds}


def version(engine: str) -> str:
    from importlib import metadata

    return "" if ENGINES[engine] is ours else metadata.version(engine.replace("_", "-"))


def asked(
    python: str, engine: str, seconds: float, tree: Path = ROOT
) -> dict[str, float | str] | None:
    """One engine for so many seconds, in a process of its own; None when it is missing."""
    command = [python, __file__, "--engine", engine, "--seconds", str(seconds)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["no reason given"])[-1]
        print(f"{engine}: {reason}", file=sys.stderr)
        return None
    found: dict[str, float | str] = json.loads(done.stdout.splitlines()[-1])
    return found


def duel(rounds: int, seconds: float, python: str) -> dict[str, list[dict[str, float | str]]]:
    """Engine -> its rounds."""
    with tempfile.TemporaryDirectory() as folder:
        trees = {"paiju": ROOT}
        try:
            compiled_tree(ROOT, Path(folder))
            trees[COMPILED] = Path(folder)
        except RuntimeError as error:
            print(f"{COMPILED}: {error}", file=sys.stderr)
        found: dict[str, list[dict[str, float | str]]] = {}
        for number in range(rounds):
            for engine in ENGINES:
                one = None
                if ENGINES[engine] is not ours:
                    one = asked(python, engine, seconds)
                elif engine in trees:
                    one = asked(sys.executable, engine, seconds, trees[engine])
                if one is not None:
                    found.setdefault(engine, []).append(one)
                    hands = float(one["hands"])
                    print(f"round {number + 1}: {engine} {hands:.0f} hands/s", file=sys.stderr)
    return found


def duel_table(found: dict[str, list[dict[str, float | str]]]) -> list[str]:
    median = {
        engine: tuple(statistics.median(float(one[k]) for one in r) for k in ("hands", "actions"))
        for engine, r in found.items()
    }
    own = [engine for engine in found if ENGINES[engine] is ours]
    lines = [
        "| engine | hands/s | actions/s | "
        + " | ".join(f"{one}: times as many" for one in own)
        + " |",
        f"|---|---:|---:|{'---:|' * len(own)}",
    ]
    for engine, (hands, actions) in median.items():
        times = [f"{median[one][0] / hands:.2f}" if engine != one else "" for one in own]
        name = f"{engine} {found[engine][0]['version']}".strip()
        lines.append(f"| {name} | {hands:,.0f} | {actions:,.0f} | {' | '.join(times)} |")
    return lines


def games_table(seconds: float) -> list[str]:
    from paiju.cli.rules_bench import figures, results, worst_list
    from paiju.rules.registry import Registry

    registry = Registry.default()
    lines = [
        "| game | hands/s | actions/s | legal_actions µs | the dearest µs | is_legal + apply µs"
        " | all views µs | results/s |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for rule_set in registry.rule_sets():
        game = registry.latest(rule_set.name)
        one = figures(game, seconds)
        one["worst_us"], one["results_per_s"] = worst_list(game, WORST_OF), results(game, 0.3)
        print(one, file=sys.stderr)
        cells = [f"{one[k]:,.0f}" for k in ("playouts_per_s", "actions_per_s")]
        cells += [f"{one[k]:,.1f}" for k in ("legal_us", "worst_us", "apply_us", "view_us")]
        cells.append(f"{one['results_per_s']:,.0f}")
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
            "Random legal play, whole hands with deal and bidding. Medians of the rounds, each",
            "engine after two seconds of warming up; seconds of CPU time.",
            "",
            *duel_table(found),
            "",
            "Every game, plain; medians in microseconds over actions of seats. The dearest: the",
            f"longest `legal_actions` in {WORST_OF} hands. All views: those of all seats and the",
            "spectators after an action, as texts, and what changed in them. Results: ended hands",
            "that are compared and settled.",
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
