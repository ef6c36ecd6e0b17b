"""Long runs in portions: what is done is kept, and the next run goes on behind it.

    python -m tests.rules.portions                      how far every rule set is
    python -m tests.rules.portions --seconds 3600       go on, a portion of each in turn
    python -m tests.rules.portions --game gouji --seconds 600

`make soak` plays the same portions to their end. Finished portions are lines of
`.soak/portions.jsonl` in the checkout (PAIJU_SOAK_DIR: elsewhere). They count for the sources
they were played with: of the package, the engines and the kit. After any change there a rule
set begins anew; a portion that failed or was cut off is played again.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from tests.rules.installed import NAMES, REGISTRY

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("PAIJU_SOAK_DIR", ROOT / ".soak"))
HANDS = 100_000
PORTION = 1_000

Play = Callable[[str, int, str], object]
"""(rule set, hands, seed): raises for a broken promise."""


@lru_cache
def sources_of(name: str) -> str:
    """A digest of what a rule set's hands depend on."""
    digest = hashlib.blake2b(digest_size=8)
    for folder in ("paiju/rules", f"games/{REGISTRY.package_of(name)}"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@dataclass(kw_only=True)
class LongRun:
    """So many hands of one rule set. kind: names what is done with them.

    One process at a time plays a run; others may play other runs beside it.
    """

    name: str
    kind: str
    play: Play
    hands: int = HANDS
    portion: int = PORTION
    folder: Path = FOLDER
    sources: str = ""
    _done: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.sources = self.sources or sources_of(self.name)
        self._done = {line["portion"] for line in self._kept()}

    def played(self) -> int:
        """Hands in finished portions."""
        return min(self.hands, len(self._done) * self.portion)

    def finished(self) -> bool:
        return self.played() >= self.hands

    def go_on(self) -> None:
        """Play the next portion and keep it. Whatever `play` raises goes through."""
        number = next(n for n in range(len(self._done) + 1) if n not in self._done)
        begun = time.monotonic()
        self.play(self.name, self.portion, f"{self.kind} {number}")
        self._keep(number, round(time.monotonic() - begun, 1))

    def _keep(self, number: int, seconds: float) -> None:
        line = {**self._identity(), "portion": number, "seconds": seconds}
        self.folder.mkdir(parents=True, exist_ok=True)
        with self._file().open("a", encoding="utf-8") as file:
            file.write("\n" + json.dumps(line))  # behind a line that was cut off, too
        self._done.add(number)

    def _kept(self) -> Iterator[dict[str, object]]:
        """Lines of this run. One that was cut off in the middle is none."""
        if not self._file().exists():
            return
        for text in self._file().read_text("utf-8").splitlines():
            try:
                line = json.loads(text)
            except ValueError:
                continue
            if isinstance(line, dict) and self._identity().items() <= line.items():
                yield line

    def _identity(self) -> dict[str, object]:
        named = {"name": self.name, "kind": self.kind, "sources": self.sources}
        return {**named, "hands": self.portion}

    def _file(self) -> Path:
        return self.folder / "portions.jsonl"

    def standing(self) -> str:
        return f"{self.name:<18} {self.kind:<8} {self.played():>7} of {self.hands}"


def to_the_end(run: LongRun) -> None:
    """All that is left, with a line of progress after each tenth."""
    shown = run.played()
    _say(run.standing())
    while not run.finished():
        run.go_on()
        if run.played() - shown >= run.hands // 10:
            shown = run.played()
            _say(run.standing())


def for_a_while(runs: list[LongRun], seconds: float) -> None:
    """A portion of each run in turn, the one that is least far first."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        left = [run for run in runs if not run.finished()]
        if not left:
            return
        run = min(left, key=lambda run: run.played())
        run.go_on()
        _say(run.standing())


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main() -> int:
    from tests.rules.test_conformance import play_light

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, default=0, help="how long to go on")
    parser.add_argument("--game", action="append", choices=NAMES, help="default: every rule set")
    given = parser.parse_args()
    runs = [LongRun(name=name, kind="light", play=play_light) for name in given.game or NAMES]
    for_a_while(runs, given.seconds)
    for run in runs:
        print(run.standing())
    return 0


if __name__ == "__main__":
    sys.exit(main())
