"""Many seeds, with progress and resumption; and one seed again, with its trace."""

from __future__ import annotations

import argparse
import gc
import multiprocessing
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import structlog

from tests.sim.run import Result, run
from tests.sim.stage import set_stage
from tests.sim.world import Kinds

COLLECT_EVERY = 50
CHUNK = 250
"""Seeds after which a long run says how far it is, and from which it can go on."""


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


# ---- long runs -----------------------------------------------------------------------------


def march(
    low: int, high: int, *, jobs: int, notes: Path | None, say: Callable[[str], None] = print
) -> list[str]:
    """Chunk after chunk on `jobs` processes; what is wrong with the seeds that failed.

    notes: a file that gets a line per chunk when it is done; chunks in it are not run again.
    """
    done = _done(notes)
    chunks = [(a, min(a + CHUNK, high)) for a in range(low, high, CHUNK)]
    left = [chunk for chunk in chunks if f"{chunk[0]}:{chunk[1]}" not in done]
    wrong = [line for lines in done.values() for line in lines]
    begun, finished = time.monotonic(), 0
    for (a, b), told in _results(left, jobs):
        finished += b - a
        wrong += told
        if notes is not None:
            with notes.open("a") as file:
                file.write("\t".join([f"{a}:{b}", *told]).replace("\n", " | ") + "\n")
        rate = finished / max(0.001, time.monotonic() - begun)
        say(f"{a}:{b}  {finished} seeds, {rate:.0f} a second, {len(wrong)} failed")
    return wrong


def _results(
    chunks: list[tuple[int, int]], jobs: int
) -> Iterator[tuple[tuple[int, int], list[str]]]:
    if jobs <= 1:
        for chunk in chunks:
            yield chunk, _chunk(chunk)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        yield from zip(chunks, pool.map(_chunk, chunks), strict=True)


def _chunk(chunk: tuple[int, int]) -> list[str]:
    return [told(result) for result in sweep(range(*chunk))]


def _done(notes: Path | None) -> dict[str, list[str]]:
    if notes is None or not notes.exists():
        return {}
    lines = [line.split("\t") for line in notes.read_text().splitlines()]
    return {name: wrong for name, *wrong in lines}


def told(result: Result) -> str:
    """What became of a seed, and how to see it again."""
    lines = [
        f"seed {result.seed}: {result.seconds:.1f} s, {result.rows} rows, {result.hands} hands, "
        f"{result.lives} hosts' lives, {result.steps} steps"
    ]
    lines += [f"    {complaint}" for complaint in result.complaints]
    if result.complaints:
        lines.append(f"    replay: python -m tests.sim --seed {result.seed} --trace")
    return "\n".join(lines)


def main() -> int:
    """0: nothing failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.sim", description=__doc__)
    parser.add_argument("--seed", type=int, help="one seed")
    parser.add_argument("--trace", action="store_true", help="tell what happens in it")
    parser.add_argument("--seeds", default="0:2000", help="from:to of many seeds")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--notes", type=Path, help="remembers what is done, to go on from")
    given = parser.parse_args()
    if given.seed is not None:
        result = replay(given.seed, trace=given.trace)
        print(told(result))
        return 1 if result.complaints else 0
    low, high = map(int, given.seeds.split(":"))
    begun = time.process_time()
    wrong = march(low, high, jobs=given.jobs, notes=given.notes)
    for line in wrong:
        print(line)
    if given.jobs <= 1:
        print(f"{time.process_time() - begun:.1f} s of CPU")
    print(f"{high - low} seeds, {len(wrong)} failed")
    return 1 if wrong else 0
