"""A host that no data server answers begins no hand whose escrow may be released under it."""

from __future__ import annotations

import pytest

from game_server.tables.contact import LONGEST_HAND_S, Contact


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


def test_hands_begin_until_the_longest_would_outlast_the_escrow() -> None:
    clock = Clock()
    contact = Contact(clock=clock)
    contact.release_s = 1_800.0
    clock.now += 1_800.0 - LONGEST_HAND_S
    assert contact.may_deal()
    clock.now += 0.1
    assert not contact.may_deal()


def test_an_answer_counts_from_when_it_was_asked_for() -> None:
    clock = Clock()
    contact = Contact(clock=clock)
    contact.release_s = 1_800.0
    early = contact.sent()
    clock.now += 600.0
    late = contact.sent()
    clock.now += 600.0
    contact.answered(late)
    contact.answered(early)  # a slow answer brings nothing back
    clock.now += 1_800.0 - LONGEST_HAND_S - 600.0
    assert contact.may_deal()
    clock.now += 0.1
    assert not contact.may_deal()


@pytest.mark.parametrize(("release_s", "silent_s", "deals"), [(0, 10**6, True), (60, 31, False)])
def test_unknown_and_short_release_times(release_s: float, silent_s: float, deals: bool) -> None:
    clock = Clock()
    contact = Contact(clock=clock)
    contact.release_s = release_s
    clock.now += silent_s
    assert contact.may_deal() is deals
