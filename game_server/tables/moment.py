"""A point in time, on both clocks: the pure parts never ask for one themselves."""

from __future__ import annotations

from typing import NamedTuple


class Moment(NamedTuple):
    """ms: monotonic milliseconds, for durations. us: wall time, microseconds UTC, for records."""

    ms: int
    us: int
