"""Metrics of a hot path: plain numbers that are made into samples when somebody looks.

prometheus_client's own take a lock, and a histogram walks through its buckets, per event: 1 us
each, several times per frame. These are for one thread, the loop that owns them; another one
may look at them, and sees each number as it is by then.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterator, Sequence

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector


class Count(Collector):
    """A counter without labels. `value`: so far."""

    def __init__(self, name: str, text: str, *, registry: CollectorRegistry) -> None:
        self.value = 0.0
        self._name = name
        self._text = text
        registry.register(self)

    def inc(self, amount: float = 1) -> None:
        self.value += amount

    def collect(self) -> Iterator[Metric]:
        yield CounterMetricFamily(self._name, self._text, value=self.value)

    def describe(self) -> Iterator[Metric]:
        yield CounterMetricFamily(self._name, self._text)


class Spread(Collector):
    """A histogram without labels. buckets: upper ends, rising."""

    def __init__(
        self, name: str, text: str, *, buckets: Sequence[float], registry: CollectorRegistry
    ) -> None:
        self.total = 0.0
        self._name = name
        self._text = text
        self._ends = list(buckets)
        self._counts = [0] * (len(self._ends) + 1)
        registry.register(self)

    def observe(self, value: float) -> None:
        self._counts[bisect_left(self._ends, value)] += 1
        self.total += value

    def collect(self) -> Iterator[Metric]:
        below, buckets = 0, []
        for end, count in zip([*self._ends, math.inf], list(self._counts), strict=True):
            below += count
            buckets.append(("+Inf" if end == math.inf else str(float(end)), float(below)))
        yield HistogramMetricFamily(
            self._name, self._text, buckets=buckets, sum_value=float(self.total)
        )

    def describe(self) -> Iterator[Metric]:
        yield HistogramMetricFamily(self._name, self._text)
