"""`python -m tests.sim --seed N [--trace]` replays a seed; `--seeds A:B` runs many."""

from __future__ import annotations

import sys

from tests.sim.sweep import main

if __name__ == "__main__":
    sys.exit(main())
