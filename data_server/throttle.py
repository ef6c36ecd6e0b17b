"""When wrong passwords must wait: pure, no clock, no database.

An attempt is counted when it begins and taken back when the password was right, so guesses
sent at the same time are counted as well as those sent one after the other. From the `free`th
failure on each one begins a pause, twice as long as the one before, never longer than
`longest_us`. What is refused during a pause does not prolong it: every lock ends.
"""

from __future__ import annotations

from dataclasses import dataclass

from paiju.service.refusals import Refused

_MOST_DOUBLINGS = 40


@dataclass(frozen=True, slots=True)
class Rule:
    """Times in microseconds. forget_us: so long after the last failure all is forgotten."""

    free: int
    first_us: int
    longest_us: int
    forget_us: int


@dataclass(frozen=True, slots=True)
class Tries:
    """Failures in a row; locked until a moment (microseconds UTC), 0: never was."""

    failed: int = 0
    last_us: int = 0
    until_us: int = 0


def begin(tries: Tries, rule: Rule, now_us: int) -> Tries:
    """The attempt, counted as a failure. Refused LOCKED during a pause."""
    left_us = tries.until_us - now_us
    # a lock longer than any we give: the wall clock was set back, and the lock is void
    if 0 < left_us <= rule.longest_us:
        seconds = -(-left_us // 10**6)
        raise Refused("LOCKED", retry_after_ms=-(-left_us // 1000), seconds=seconds)
    quiet_us = now_us - max(tries.last_us, tries.until_us)
    failed = 1 if quiet_us >= rule.forget_us else tries.failed + 1
    return Tries(failed, now_us, now_us + pause_us(failed, rule) if failed >= rule.free else 0)


def pause_us(failed: int, rule: Rule) -> int:
    """How long the pause after so many failures is; failed >= rule.free."""
    doublings = min(failed - rule.free, _MOST_DOUBLINGS)
    return min(rule.longest_us, rule.first_us << doublings)


def take_back(tries: Tries) -> Tries:
    """The attempt was no failure. Those of others stay counted: an own account is no way to
    wipe out guesses at another one."""
    return Tries(max(0, tries.failed - 1), tries.last_us, 0)
