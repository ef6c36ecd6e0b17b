"""Many seeds, one after the other, with progress; and one seed again, with its trace."""

from __future__ import annotations

import argparse
import gc
import json
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import structlog

from tests.sim.run import Result, run
from tests.sim.stage import set_stage
from tests.sim.world import Kinds

COLLECT_EVERY = 50


def sweep(
    seeds: Iterable[int],
    *,
    kinds: Callable[[], Kinds] = Kinds,
    stop_at_first: bool = False,
    on_result: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """The results of those seeds that have complaints."""
    bad = []
    gc.collect()
    gc.freeze()
    gc.disable()
    try:
        with set_stage():
            for number, seed in enumerate(seeds, start=1):
                result = run(seed, kinds=kinds())
                on_result(result)
                if number % COLLECT_EVERY == 0:
                    gc.collect()
                if result.complaints:
                    bad.append(result)
                    if stop_at_first:
                        break
    finally:
        gc.enable()
        gc.unfreeze()
        gc.collect()
    return bad


def replay(seed: int, *, trace: bool, say: Callable[[str], None] = print) -> Result:
    """One seed; trace: each event of the world, and each log line of the product."""

    def log(logger: Any, level: str, event: dict[str, Any]) -> Any:
        name = event.pop("event")
        say(f"           {name} " + " ".join(f"{k}={v}" for k, v in sorted(event.items())))
        raise structlog.DropEvent

    with set_stage(logs=log if trace else None):
        return run(seed, say=say if trace else None)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, help="one seed")
    parser.add_argument("--trace", action="store_true", help="tell what happens in it")
    parser.add_argument("--seeds", default="0:2000", help="from:to of many seeds")
    given = parser.parse_args()
    if given.seed is not None:
        result = replay(given.seed, trace=given.trace)
        print(_told(result))
        return 1 if result.complaints else 0
    low, _, high = given.seeds.partition(":")
    begun = time.process_time()
    bad = sweep(range(int(low), int(high)), on_result=_complain)
    seconds = time.process_time() - begun
    count = int(high) - int(low)
    print(
        f"{count} seeds in {seconds:.1f} s of CPU ({count / seconds:.0f} a second), {len(bad)} failed"
    )
    return 1 if bad else 0


def _complain(result: Result) -> None:
    if result.complaints:
        print(_told(result), flush=True)


def _told(result: Result) -> str:
    lines = [
        f"seed {result.seed}: {result.seconds:.1f} s, {result.rows} rows, {result.hands} hands, "
        f"{result.lives} hosts' lives, {result.steps} steps"
    ]
    lines += [f"    {complaint}" for complaint in result.complaints]
    if result.complaints:
        lines.append(f"    replay: python -m tests.sim --seed {result.seed} --trace")
    return "\n".join(lines)


__all__ = ["Path", "json", "main", "replay", "sweep"]
