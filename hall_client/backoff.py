"""How long to wait before the next attempt: exponential, jittered, so that a thousand
clients of a gateway that died do not come back in the same millisecond."""

from __future__ import annotations

import secrets
from collections.abc import Callable


def jitter() -> float:
    """Uniform in [0, 1)."""
    return secrets.randbits(53) / 2**53


class Backoff:
    """`first_s` doubles up to `longest_s`; each wait is between half of that and all of it."""

    def __init__(
        self,
        *,
        first_s: float = 0.05,
        longest_s: float = 5.0,
        jitter: Callable[[], float] = jitter,
    ) -> None:
        self._first_s = first_s
        self._longest_s = longest_s
        self._jitter = jitter
        self._attempts = 0

    def succeeded(self) -> None:
        self._attempts = 0

    def next_s(self) -> float:
        """Seconds to wait before the next attempt."""
        whole: float = min(self._longest_s, self._first_s * 2.0 ** min(self._attempts, 20))
        self._attempts += 1
        return whole * (0.5 + 0.5 * self._jitter())
