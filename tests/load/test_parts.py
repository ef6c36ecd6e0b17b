"""What a load run is made of: seats, latencies, timetables, checks, plots."""

from __future__ import annotations

import asyncio
import errno
import resource
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hall_client.load import target
from hall_client.load.machine import GATEWAY, HOST, RAY, Look, role_of, spent
from hall_client.load.openloop import Failed, Kind, Loop
from hall_client.load.page import page
from hall_client.load.plot import Line, nice, plot
from hall_client.load.ramp import busy
from hall_client.load.seating import Place, allot
from hall_client.load.target import NotHere
from hall_client.load.timings import Timings
from hall_client.load.traffic import Pace, Tally, reason_of

THREE, FOUR, FIVE = Place("three", 3), Place("four", 4), Place("five", 5)


@given(st.integers(6, 5_000))
def test_every_table_fills_up(players: int) -> None:
    taken = allot(players, [THREE], [FOUR, FIVE])
    assert sum(taken.values()) == players
    for place in (THREE, FOUR, FIVE):
        assert taken.get(place.room, 0) % place.seats == 0
    assert taken["three"] >= players - 8


@given(st.integers(1, 2_000), st.integers(1, 5), st.integers(1, 5))
def test_nobody_is_lost_in_a_mix(players: int, some: int, others: int) -> None:
    six = Place("six", 6, others)
    taken = allot(players, [Place("three", 3, some), six])
    assert sum(taken.values()) == players


def test_a_stall_counts_for_all_that_it_kept_from_being_sent() -> None:
    """A table that acts each 10 ms and was stalled for a second has 100 slow actions, not one."""
    timings = Timings()
    for _ in range(100):
        timings.record(0.001, every_s=0.01)
    timings.record(1.0, every_s=0.01)
    assert timings.summary_as_seen()["p99"] < 2
    corrected = timings.summary()
    assert corrected["p90"] > 500 and corrected["max"] >= 1000
    assert timings.count == 101


def test_timings_of_two_processes_are_one() -> None:
    a, b = Timings(), Timings()
    a.record(0.010)
    b.record(0.030, every_s=0.01)
    a.add(Timings.unpacked(b.packed()))
    assert a.count == 2 and a.summary()["max"] == pytest.approx(30, rel=0.01)
    assert [p for p, _ in a.curve()][-1] == 100
    assert Timings().curve() == [] and Timings().summary()["p99"] == 0.0


def test_a_tally_is_taken_once() -> None:
    tally = Tally()
    tally.actions, tally.errors["x"] = 3, 1
    tally.timings.record(0.1)
    taken = tally.take()
    assert (taken.actions, taken.timings.count, dict(taken.errors)) == (3, 1, {"x": 1})
    assert (tally.actions, tally.timings.count, dict(tally.errors)) == (0, 0, {})


def test_reasons_can_be_counted() -> None:
    assert reason_of("play 3s: DOES_NOT_BEAT: no") == "DOES_NOT_BEAT"
    assert reason_of("closed by the gateway") == "closed by the gateway"
    assert Pace.of_tables(100, 50).every_s == 2.0
    assert Pace.of_tables(100, 0) == Pace()


# ---- by a timetable ----------------------------------------------------------------------------


async def test_calls_are_made_when_they_are_due_whatever_becomes_of_others() -> None:
    """The first call hangs for a while: the others go out, and its latency is its own."""
    made: list[float] = []
    hang = asyncio.Event()

    async def call(number: int) -> None:
        made.append(time.monotonic())
        if number == 0:
            await hang.wait()
        elif number == 9:
            hang.set()
        elif number == 5:
            raise Failed("refused")

    loop = Loop({"a": Kind(call, 50.0)}, asyncio.Event())
    await loop.run(0.2)
    count = loop.counts["a"]
    assert len(made) == 10 and count.done == 9 and dict(count.errors) == {"refused": 1}
    assert count.timings.summary()["max"] >= 150  # nine intervals of 20 ms, at least in part


async def test_a_timetable_that_is_stopped_keeps_what_it_has() -> None:
    stopped = asyncio.Event()

    async def call(number: int) -> None:
        if number == 3:
            stopped.set()

    loop = Loop({"a": Kind(call, 200.0), "b": Kind(call, 0.0, at_once=0)}, stopped)
    await asyncio.wait_for(loop.run(60), 10)
    assert loop.together().done >= 4 and loop.seconds < 10


async def test_without_a_rate_callers_call_again_and_again() -> None:
    async def call(number: int) -> None:
        await asyncio.sleep(0.005)

    loop = Loop({"a": Kind(call, 0.0, at_once=3)}, asyncio.Event())
    await loop.run(0.1)
    assert loop.counts["a"].done >= 6


# ---- may it, can it ----------------------------------------------------------------------------


@pytest.mark.parametrize("address", ["127.0.0.1:7700", "ws://localhost:1", "grpc://[::1]:7"])
def test_this_machine_may_be_loaded(address: str) -> None:
    target.check_owner([address], mine=False)


@pytest.mark.parametrize(
    "address", ["10.0.0.7:7700", "wss://192.0.2.1:1", "no.such.host.invalid:1"]
)
def test_others_only_by_their_owner(address: str) -> None:
    with pytest.raises(NotHere, match="i-own-this-target"):
        target.check_owner(["127.0.0.1:1", address], mine=False)
    target.check_owner([address], mine=True)


def test_too_few_files_are_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (256, 1024))
    raised: list[Any] = []
    monkeypatch.setattr(resource, "setrlimit", lambda _, limits: raised.append(limits))
    target.check_files(500, each="a process")
    assert raised == [(700, 1024)]
    with pytest.raises(NotHere, match=r"2200 file descriptors.*ulimit -Hn 2200"):
        target.check_files(2_000, each="a process")
    monkeypatch.setattr(resource, "prlimit", lambda pid, what: (256, 1024))
    with pytest.raises(NotHere, match=r"Process 7 of the hall.*ulimit -n 700"):
        target.check_files(500, each="a gateway", processes=[7])


def test_a_full_disk_is_a_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(target, "SPARE_BYTES", 1 << 62)
    with pytest.raises(NotHere, match="make room"):
        target.check_space(tmp_path)

    def full(self: Path, text: str, encoding: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    with pytest.raises(NotHere, match=r"no space left on device.*make room"):
        target.write_report(tmp_path / "x.html", "x")


def test_nobody_there_is_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(NotHere, match=r"Nobody answers at 127.0.0.1:1 .*paiju up"):
        target.check_answers(["127.0.0.1:1"])
    with pytest.raises(NotHere, match="paiju up"):
        target.local(tmp_path, edge="grpc")


# ---- what is shown -----------------------------------------------------------------------------


def test_roles_and_what_they_spent() -> None:
    assert [role_of(n) for n in ("local/gateway-0", "local-0", "ray")] == [GATEWAY, HOST, RAY]
    before, after = Look({GATEWAY: 1.0}, {}), Look({GATEWAY: 3.5, HOST: 1.0}, {})
    assert spent(before, after) == {GATEWAY: 2.5, HOST: 1.0}


def test_the_limit_is_named() -> None:
    numbers = {"gateway": 2, "host": 1, "load": 1}
    assert "use more --processes" in busy({"gateway": 0.4, "host": 0.3, "load": 0.97}, numbers)
    assert "host (0.95 cores of 1)" in busy({"gateway": 0.4, "host": 0.95, "load": 0.97}, numbers)
    assert "no process was full" in busy({"gateway": 0.4, "host": 0.3, "load": 0.2}, numbers)


def test_a_page_needs_nothing_but_itself() -> None:
    over_time = [
        {
            "second": n,
            "actions": n,
            "deliveries": 3 * n,
            "errors": 0,
            "latency_ms": {"p50": 1.0, "p99": 2.0, "max": 3.0},
            "cpu": {"gateway": 0.5},
        }
        for n in range(5)
    ]
    figures = {"over_time": over_time, "curve": [(0, 1.0), (99.9, 3.0), (100, 4.0)]}
    text = page("a <run>", [("errors", "<0>")], figures)
    assert "a &lt;run&gt;" in text and "&lt;0&gt;" in text
    assert "http" not in text and "<script" not in text
    assert text.count("<svg") == 6
    assert plot("empty", [Line("a", [])], unit="s") == ""
    assert [nice(x) for x in (0, 0.3, 1, 3, 70, 101)] == [1.0, 0.5, 1.0, 5.0, 100.0, 200.0]
