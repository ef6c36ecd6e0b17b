"""A token bucket: how much somebody may ask for, with time passed in."""

from __future__ import annotations


class Bucket:
    """Holds at most `burst` tokens and gains `per_s` of them each second."""

    __slots__ = ("_at", "_burst", "_per_s", "_tokens")

    def __init__(self, *, burst: float, per_s: float, now: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._tokens = burst
        self._at = now

    def take(self, cost: float, now: float) -> bool:
        """Take `cost` tokens; False, and nothing taken, when there are fewer."""
        self._fill(now)
        if self._tokens < cost:
            return False
        self._tokens -= cost
        return True

    def wait_ms(self, cost: float, now: float) -> int:
        """After how many milliseconds `cost` tokens will be there, at least 1."""
        self._fill(now)
        missing = min(cost, self._burst) - self._tokens
        return max(1, int(missing / self._per_s * 1000) + 1)

    def _fill(self, now: float) -> None:
        if now > self._at:
            self._tokens = min(self._burst, self._tokens + (now - self._at) * self._per_s)
            self._at = now
