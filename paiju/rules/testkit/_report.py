"""What a run of the kit saw, and how it says that a promise was broken."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


class Violation(AssertionError):
    """A broken promise; `log` replays the hand that shows it."""

    def __init__(self, promise: str, detail: str, log: Sequence[tuple[int, str]] = ()) -> None:
        shown = "; ".join(f"{seat}: {text}" for seat, text in log)
        super().__init__(f"{promise}: {detail}\nafter {shown or 'nothing'}")
        self.promise = promise
        self.log = list(log)


@dataclass
class Report:
    """Counts of a run.

    worlds: sampled where a viewer cannot know all cards, and how many of them differ from the
    real one in a card. piles: hidden hands in those worlds, and how many hold other cards.
    patch_bytes: sizes of all patches, keys and texts.
    """

    hands: int = 0
    actions: int = 0
    views: int = 0
    refusals: int = 0
    claims: int = 0
    worlds: int = 0
    worlds_differ: int = 0
    piles: int = 0
    piles_differ: int = 0
    results: dict[str, int] = field(default_factory=dict)
    patch_bytes: list[int] = field(default_factory=list)

    def patch_p95(self) -> int:
        """95th percentile of the patch sizes, bytes."""
        ordered = sorted(self.patch_bytes)
        return ordered[int(len(ordered) * 0.95)] if ordered else 0
