"""Traces: what a ring keeps, what it costs when it cannot, and that nothing secret has room."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from paiju.service import trace
from paiju.service.ids import new_op
from paiju.service.trace import End, Kind


@pytest.fixture(autouse=True)
def _closed() -> object:
    yield
    trace.ring.close()
    trace.ring = trace.NoRing()


def _open(folder: Path, name: str = "gs-1/gateway-0", *, records: int = 8, one_in: int = 0) -> None:
    trace.open_ring(folder, name, records=records, one_in=one_in)


def test_a_span_has_its_times_and_its_place(tmp_path: Path) -> None:
    _open(tmp_path)
    op = new_op()
    slot = trace.ring.begin(Kind.HOST, op)
    (begun,) = trace.read(tmp_path)
    assert (begun.end, begun.first_us, begun.second_us) == (End.OPEN, None, None)
    trace.ring.place(slot, 77, 3, 41)
    trace.ring.end(slot)
    (span,) = trace.read(tmp_path)
    assert (span.program, span.kind, span.end) == ("gs-1/gateway-0", Kind.HOST, End.DONE)
    assert (span.op, span.table, span.hand, span.seq) == (op, 77, 3, 41)
    assert span.first_us is not None and span.second_us is not None
    assert 0 <= span.first_us <= span.second_us < 10**6


def test_it_forgets_the_oldest_and_never_marks_what_took_its_place(tmp_path: Path) -> None:
    _open(tmp_path, records=4)
    ops = [new_op() for _ in range(6)]
    slots = [trace.ring.begin(Kind.GATEWAY, op) for op in ops]
    trace.ring.end(slots[0])  # its place belongs to another by now
    assert {span.op for span in trace.read(tmp_path)} == set(ops[2:])
    assert {span.end for span in trace.read(tmp_path)} == {End.OPEN}


def test_what_a_killed_process_kept_is_there(tmp_path: Path) -> None:
    code = (
        "import os, sys; from pathlib import Path; from paiju.service import trace;"
        "trace.open_ring(Path(sys.argv[1]), 'host h', records=8, one_in=0);"
        "trace.ring.begin(trace.Kind.HOST, bytes(range(16))); os.kill(os.getpid(), 9)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=False)
    _open(tmp_path, "host h")  # its successor
    trace.ring.begin(Kind.HOST, new_op())
    found = list(trace.read(tmp_path))
    assert len(found) == 2
    assert bytes(range(16)) in {span.op for span in found}


def test_two_processes_of_one_name_have_two_files(tmp_path: Path) -> None:
    _open(tmp_path, "data-server")
    first = trace.ring
    trace.ring = trace.NoRing()
    _open(tmp_path, "data-server")
    assert len(list(tmp_path.iterdir())) == 2
    first.close()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_without_room_the_program_goes_on(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with capture_logs() as lines:
        _open(blocked / "trace")
    assert [line["event"] for line in lines] == ["trace.not_kept"]
    trace.ring.end(trace.ring.begin(Kind.HOST, new_op()))
    assert list(trace.read(blocked / "trace")) == []


def test_the_same_operations_leave_lines_in_every_process(tmp_path: Path) -> None:
    ops = [os.urandom(12) + bytes([0, 0, 0, n]) for n in range(1, 11)]
    told = []
    for name in ("gateway", "host"):
        _open(tmp_path, name, records=64, one_in=5)
        with capture_logs() as lines:
            for op in ops:
                trace.ring.end(trace.ring.begin(Kind.GATEWAY, op))
        told.append([line["request"] for line in lines])
    assert told[0] == told[1] == [ops[4].hex(), ops[9].hex()]


def test_lines_are_limited_whatever_ids_clients_choose(tmp_path: Path) -> None:
    _open(tmp_path, records=64, one_in=1)
    with capture_logs() as lines:
        for _ in range(60):
            trace.ring.end(trace.ring.begin(Kind.GATEWAY, new_op()))
    assert trace.LINES_PER_S <= len(lines) <= 2 * trace.LINES_PER_S  # a second may have ended


def test_a_line_says_what_the_ring_says(tmp_path: Path) -> None:
    _open(tmp_path, one_in=1)
    slot = trace.ring.begin(Kind.HOST, new_op())
    trace.ring.place(slot, 2**63 + 5, 3, 41)
    with capture_logs() as lines:
        trace.ring.end(slot)
    line = json.loads(json.dumps(lines[0]))
    (kept,) = trace.read(tmp_path)
    assert trace.of_json(kept.program, line) == kept


def test_others_cannot_read_it(tmp_path: Path) -> None:
    _open(tmp_path / "trace")
    (path,) = (tmp_path / "trace").iterdir()
    assert path.stat().st_mode & 0o077 == 0
    assert (tmp_path / "trace").stat().st_mode & 0o077 == 0
