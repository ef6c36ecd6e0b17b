"""Latencies in a histogram of high dynamic range: three digits from 1 us to 10 minutes.

Every sample is recorded twice: as it was, and corrected for coordinated omission. Who waits for
an answer asks nothing meanwhile; so after a sample longer than the interval at which the same
table would have acted, the samples that the stall kept from being taken are added (as
HdrHistogram does: value - interval, value - 2 intervals ...). Reports quote the corrected ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hdrh.histogram import HdrHistogram

HIGHEST_US = 600_000_000
DIGITS = 3
_CURVE = (0, 25, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 100)


class Timings:
    """`seen`: samples as they were. `corrected`: see the module's head."""

    def __init__(self) -> None:
        self.seen = HdrHistogram(1, HIGHEST_US, DIGITS)
        self.corrected = HdrHistogram(1, HIGHEST_US, DIGITS)

    def record(self, seconds: float, *, every_s: float = 0.0) -> None:
        """every_s: the interval at which such samples are expected; 0: no correction."""
        us = min(HIGHEST_US, max(1, round(seconds * 1e6)))
        self.seen.record_value(us)
        if every_s > 0:
            self.corrected.record_corrected_value(us, max(1, round(every_s * 1e6)))
        else:
            self.corrected.record_value(us)

    def add(self, other: Timings) -> None:
        self.seen.add(other.seen)
        self.corrected.add(other.corrected)

    @property
    def count(self) -> int:
        return int(self.seen.get_total_count())

    def packed(self) -> list[str]:
        """For another process; inverse: `unpacked`."""
        return [one.encode().decode("ascii") for one in (self.seen, self.corrected)]

    @classmethod
    def unpacked(cls, packed: Sequence[str]) -> Timings:
        made = cls()
        made.seen, made.corrected = (HdrHistogram.decode(one.encode("ascii")) for one in packed)
        return made

    def summary(self) -> dict[str, float]:
        """Milliseconds, corrected; zeros without samples."""
        return _summary(self.corrected)

    def summary_as_seen(self) -> dict[str, float]:
        """The same without the correction."""
        return _summary(self.seen)

    def curve(self) -> list[tuple[float, float]]:
        """(percentile, ms), corrected; for a plot."""
        return [(p, _at(self.corrected, p)) for p in _CURVE] if self.count else []


def _summary(histogram: HdrHistogram) -> dict[str, float]:
    names: Mapping[str, float] = {"p50": 50, "p90": 90, "p99": 99, "p999": 99.9, "max": 100}
    return {name: _at(histogram, percentile) for name, percentile in names.items()}


def _at(histogram: HdrHistogram, percentile: float) -> float:
    if not histogram.get_total_count():
        return 0.0
    return round(float(histogram.get_value_at_percentile(percentile)) / 1000, 3)
