"""An idle hall: seconds from `paiju up` to ready, and what it weighs. `make bench` runs it.

    python scripts/bench_idle.py --runs 3 --json -

Every run is a new hall in a folder that goes again. The memory is read SETTLE_S after ready.
Targets: ready in less than 15 s, at most 900 MiB PSS with Ray.
"""

from __future__ import annotations

import argparse
import json
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from pss import tree

SETTLE_S = 5.0
READY_WITHIN_S = 120.0
MOST_SECONDS = 15.0
MOST_MIB = 900.0


def measure() -> dict[str, float]:
    """One hall: {"seconds", "mib", "processes"}."""
    with tempfile.TemporaryDirectory(prefix="paiju-bench-") as folder:
        begun = time.monotonic()
        hall = subprocess.Popen(
            [sys.executable, "-m", "paiju.cli.main", "up", "--port", "0", "--data-dir", folder],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
        )
        try:
            while not (Path(folder) / "hall.json").exists():
                if hall.poll() is not None or time.monotonic() - begun > READY_WITHIN_S:
                    raise SystemExit("the hall did not start")
                time.sleep(0.01)
            seconds = time.monotonic() - begun
            time.sleep(SETTLE_S)
            parts = tree(hall.pid)
        finally:
            hall.send_signal(signal.SIGINT)
            hall.wait(90)
    mib = sum(part.kib for part in parts) / 1024
    return {"seconds": round(seconds, 2), "mib": round(mib, 1), "processes": len(parts)}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--json", metavar="FILE", help="- is standard output")
    given = parser.parse_args()
    runs = []
    for number in range(given.runs):
        runs.append(measure())
        print(f"run {number + 1} of {given.runs}: {runs[-1]}", file=sys.stderr)
    result = {name: statistics.median(run[name] for run in runs) for name in runs[0]}
    result["runs"] = runs
    held = result["seconds"] < MOST_SECONDS and result["mib"] <= MOST_MIB
    if given.json:
        text = json.dumps(result) + "\n"
        sys.stdout.write(text) if given.json == "-" else Path(given.json).write_text(text)
    print(
        f"ready after {result['seconds']} s (< {MOST_SECONDS:.0f}), "
        f"{result['mib']} MiB PSS (<= {MOST_MIB:.0f}): {'holds' if held else 'DOES NOT HOLD'}",
        file=sys.stderr,
    )
    return 0 if held else 1


if __name__ == "__main__":
    sys.exit(main())
