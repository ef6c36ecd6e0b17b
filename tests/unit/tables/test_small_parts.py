"""Ring, wheel, audience, operation ids: the small pure parts of a host."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from game_server.tables.answers import Answers, digest_of
from game_server.tables.audience import Audience, Subscription
from game_server.tables.ring import Ring
from game_server.tables.viewers import Viewers
from game_server.tables.wheel import Wheel
from paiju.rules.api import ALL, Event
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2


@given(pushed=st.integers(0, 40), size=st.integers(1, 16), seq=st.integers(-2, 45))
def test_the_ring_gives_exactly_what_is_missing_or_nothing(
    pushed: int, size: int, seq: int
) -> None:
    ring = Ring(size=size)
    for number in range(1, pushed + 1):
        assert ring.push([f"a{number}".encode(), f"b{number}".encode()]) == number
    tail = ring.after(seq, 1)
    if seq > pushed or pushed - seq > min(size, pushed):
        assert tail is None
    else:
        assert tail == [f"b{n}".encode() for n in range(seq + 1, pushed + 1)]


@given(st.lists(st.tuples(st.integers(0, 5), st.none() | st.integers(0, 50)), max_size=60))
def test_the_wheel_is_a_map_with_a_least_element(changes: list[tuple[int, int | None]]) -> None:
    wheel, model = Wheel(), {}
    for key, due in changes:
        wheel.set(key, due)
        model.pop(key, None)
        if due is not None:
            model[key] = due
        assert wheel.next() == min(model.values(), default=None)
    for now in (10, 25, 50):
        popped = wheel.pop(now)
        assert sorted(popped) == sorted(k for k, d in model.items() if d <= now)
        model = {k: d for k, d in model.items() if d > now}
    assert wheel.next() is None


def test_an_older_connection_cannot_end_the_newer_ones_subscription() -> None:
    audience: Audience[str] = Audience()
    audience.add(7, Subscription("gateway-0", 0, (3, 1)))
    audience.add(7, Subscription("gateway-1", 0, (3, 2)))
    assert not audience.ended(7, (3, 1), "gateway-0")
    assert not audience.ended(7, (3, 2), "gateway-0"), "the same pair came through another one"
    assert audience.get(7) is not None
    assert audience.remove_link("gateway-0") == []
    assert audience.groups() == {0: {"gateway-1": [7]}}
    assert audience.ended(7, (3, 2), "gateway-1")
    assert audience.groups() == {}


def _act(action: str, number: int) -> host_pb2.HostCommand:
    return host_pb2.HostCommand(id=number, connection=number, act=hall_pb2.Act(action=action))


def test_a_repeat_is_known_by_its_body_not_by_who_carries_it() -> None:
    answers = Answers()
    first, new = answers.begin(1, b"op", digest_of(_act("pass", 1)))
    assert new
    again, new = answers.begin(1, b"op", digest_of(_act("pass", 2)))
    assert again is first and not new
    with pytest.raises(Refused, match="OP_REUSED"):
        answers.begin(1, b"op", digest_of(_act("play 3s", 3)))
    _, new = answers.begin(2, b"op", digest_of(_act("play 3s", 3)))
    assert new, "another player's operation is another one"


def test_operations_being_worked_on_are_never_dropped() -> None:
    answers = Answers(capacity=3)
    running, _ = answers.begin(1, b"running", b"d")
    for number in range(10):
        done, _ = answers.begin(1, b"%d" % number, b"d")
        done.answer = host_pb2.HostAnswer()
    assert answers.begin(1, b"running", b"d") == (running, False)
    assert len(answers) <= 4


@pytest.mark.parametrize(
    ("to", "gets"), [(ALL, {0, 1, 2}), ((1,), {1}), ((), set())], ids=["all", "one", "nobody"]
)
def test_an_event_for_no_seat_is_for_nobody(to: tuple[int, ...], gets: set[int]) -> None:
    """Receivers that a game works out, and that are none, must not become everybody."""
    viewers = Viewers(ref=common_pb2.TableRef(table=1), epoch=1, seats=2)
    secret = Event("secret", {"card": "3s"}, to)
    forms = viewers.step(seq=1, hand=1, table={}, game=None, events=[secret], clocks=[])
    got = {viewer for viewer, form in enumerate(forms) if b"3s" in form}
    assert got == gets
