"""Soft locks: bounded guesses, and every lock ends."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_server.store.locks import prefix
from data_server.throttle import Rule, Tries, begin, pause_us, take_back
from paiju.service.refusals import Refused

S = 10**6
RULE = Rule(free=3, first_us=5 * S, longest_us=60 * S, forget_us=600 * S)


def failed(times: int, now: int = 0) -> tuple[Tries, int]:
    """That many failures, each as soon as it is let in; the state and the time."""
    tries = Tries()
    for _ in range(times):
        now = max(now + 1, tries.until_us)
        tries = begin(tries, RULE, now)
    return tries, now


def test_pauses_double_up_to_the_longest() -> None:
    pauses = []
    for times in range(1, 12):
        tries, now = failed(times)
        pauses.append(max(0, tries.until_us - now) // S)
    assert pauses == [0, 0, 5, 10, 20, 40, 60, 60, 60, 60, 60]
    assert pause_us(10**6, RULE) == RULE.longest_us


def test_a_refusal_says_how_long_and_prolongs_nothing() -> None:
    tries, now = failed(3)
    for later in range(0, 5 * S, S // 2):
        with pytest.raises(Refused) as refused:
            begin(tries, RULE, now + later)
        assert refused.value.code == "LOCKED"
        assert refused.value.retry_after_ms == (5 * S - later) // 1000
    assert begin(tries, RULE, now + 5 * S).failed == 4


@given(st.lists(st.integers(0, 700 * S), max_size=60), st.integers(-(10**12), 10**12))
def test_whatever_comes_a_lock_is_over_after_the_longest_pause(gaps: list[int], jump: int) -> None:
    tries, now = Tries(), 10**15
    for gap in gaps:
        now += gap
        try:
            tries = begin(tries, RULE, now)
        except Refused as refused:
            assert 0 < refused.retry_after_ms <= RULE.longest_us // 1000
    begin(tries, RULE, now + RULE.longest_us)
    if jump < -RULE.longest_us:  # the wall clock was set back
        begin(tries, RULE, now + jump)


@given(st.integers(1, 3600))
def test_the_guesses_of_an_hour_are_few(every_s: int) -> None:
    tries, passed = Tries(), 0
    for now in range(0, 3600, every_s):
        try:
            tries = begin(tries, RULE, (now + 1) * S)
            passed += 1
        except Refused:
            pass
    assert passed <= RULE.free + 4 + 3600 // 60


def test_it_is_forgotten_after_a_quiet_time() -> None:
    tries, now = failed(8)
    assert begin(tries, RULE, tries.until_us + RULE.forget_us).failed == 1
    assert begin(tries, RULE, now + RULE.forget_us).failed == 9


def test_who_was_right_takes_back_his_own_attempt_only() -> None:
    tries, now = failed(2)
    right = begin(tries, RULE, now + 1)
    assert right.until_us > now
    after = take_back(right)
    assert (after.failed, after.until_us) == (2, 0)
    assert take_back(Tries()).failed == 0


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::1", "::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("unix:", "unix:"),
        ("", ""),
    ],
)
def test_what_stands_for_a_household(address: str, wanted: str) -> None:
    assert prefix(address) == wanted
