"""Traces: where an operation was, and when, kept so cheaply that every one is kept.

The operation id that a client chooses goes with its action to the gateway, the host and the
journal; a hand's settlement has the key (table, hand). So nothing more has to travel: each
process notes what passed it, as a *span* of 56 bytes in a ring, a file that is mapped into its
memory. That costs no system call, outlives a process that was killed, and `paiju admin trace`
reads it beside the running process. A span has numbers and the id and no room for anything
else: no card, name, address or secret can get into it.

A ring forgets. One operation in `trace_one_in` - the same ones in every process, since the id
decides - and those slower than SLOW_S leave a log line `trace.span`, too.

Times are wall time, by this machine's clock. Owner: the loop of the process; nobody else writes.
"""

from __future__ import annotations

import contextlib
import enum
import fcntl
import mmap
import os
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import structlog
from pydantic import Field

from paiju.service.settings import Settings

log = structlog.get_logger()

SUFFIX = ".ring"
SLOW_S = 1.0
LINES_PER_S = 10
"""At most so many log lines: the id is the client's choice, and an outage makes all slow."""
FOLDER = "trace"
_SPAN = struct.Struct("<QQIIII16sBB6x")  # begun_us, table, hand, seq, first, second, op, kind, end
_BEGUN = struct.Struct("<Q")
_TIME = struct.Struct("<I")
_RANDOM = struct.Struct(">I")
_PLACE = struct.Struct("<QII")
_HEADER = struct.Struct("<8sI116s")  # magic, records, program
_MAGIC = b"paiju-t1"
_NO_OP = bytes(16)
_AT_PLACE, _AT_FIRST, _AT_SECOND, _AT_OP, _AT_KIND, _AT_END = 8, 24, 28, 32, 48, 49
_NEVER = 2**32 - 1
_LONGEST_US = _NEVER - 1
_SLOW_US = SLOW_S * 1e6


class Kind(enum.IntEnum):
    GATEWAY = 1
    """A command of a player at his gateway."""
    HOST = 2
    """The same at the host of its table."""
    SETTLEMENT = 3
    """A hand of a host on its way to the ledger."""
    LEDGER = 4
    """A hand at the data server."""
    DATA = 5
    """An operation of the data server."""


class End(enum.IntEnum):
    OPEN = 0
    DONE = 1
    REFUSED = 2


_KINDS = frozenset(map(int, Kind))
_ENDS = frozenset(map(int, End))

MARKS = {
    Kind.GATEWAY: ("received", "", "answered"),
    Kind.HOST: ("arrived", "applied", "in the journal"),
    Kind.SETTLEMENT: ("in the journal", "", "answered by the ledger"),
    Kind.LEDGER: ("arrived", "", "booked"),
    Kind.DATA: ("arrived", "", "answered"),
}
"""What a span's begin, its first and its second time are; empty: it has none."""


class TraceSettings(Settings):
    """How much is remembered of operations that are over."""

    trace_records: int = Field(default=131_072, ge=0, le=2**22)
    """Operations that each process remembers, 56 bytes of disk and memory each; 0: none."""
    trace_one_in: int = Field(default=1000, ge=0)
    """One operation in so many leaves log lines; 0: none does."""


@dataclass(frozen=True, slots=True)
class Span:
    """first_us, second_us: since begun_us; None: it did not come to that."""

    program: str
    kind: Kind
    end: End
    op: bytes
    begun_us: int
    first_us: int | None
    second_us: int | None
    table: int
    hand: int
    seq: int


class Ring:
    """The spans of one process; see `open_ring`."""

    def __init__(self, memory: mmap.mmap, records: int, one_in: int, file: int) -> None:
        self._memory = memory
        self._records = records
        self._one_in = one_in
        self._file = file
        self._next = 0
        self._lines_s = 0
        self._lines = 0

    def begin(self, kind: int, op: bytes, table: int = 0, hand: int = 0) -> int:
        """The number of a new span. op: 16 bytes, empty for a hand's."""
        slot = self._next
        self._next = slot + 1
        _SPAN.pack_into(
            self._memory,
            _HEADER.size + slot % self._records * _SPAN.size,
            time.time_ns() // 1000,
            table,
            hand & _NEVER,
            0,
            _NEVER,
            _NEVER,
            op or _NO_OP,
            kind,
            0,
        )
        return slot

    def place(self, slot: int, table: int, hand: int, seq: int) -> None:
        """Where it took effect, and when: its first time is now."""
        at = self._at(slot)
        if at:
            self._mark(at, _AT_FIRST)
            _PLACE.pack_into(self._memory, at + _AT_PLACE, table, hand & _NEVER, seq & _NEVER)

    def end(self, slot: int, *, refused: bool = False) -> None:
        """Its second time is now."""
        at = self._at(slot)
        if not at:
            return
        took_us = self._mark(at, _AT_SECOND)
        self._memory[at + _AT_END] = 2 if refused else 1
        if took_us > _SLOW_US or (self._one_in and self._sampled(at)):
            self._tell(at)

    def close(self) -> None:
        self._memory.close()
        os.close(self._file)

    def _at(self, slot: int) -> int:
        """Where the span is; 0: it is forgotten."""
        if slot < 0 or self._next - slot > self._records:
            return 0
        return _HEADER.size + slot % self._records * _SPAN.size

    def _mark(self, at: int, where: int) -> int:
        took_us: int = time.time_ns() // 1000 - _BEGUN.unpack_from(self._memory, at)[0]
        if not 0 <= took_us <= _LONGEST_US:
            took_us = 0 if took_us < 0 else _LONGEST_US
        _TIME.pack_into(self._memory, at + where, took_us)
        return took_us

    def _sampled(self, at: int) -> bool:
        """By the id's random end: every process chooses the same ones."""
        random: int = _RANDOM.unpack_from(self._memory, at + _AT_KIND - 4)[0]
        return random % self._one_in == 0 and self._memory[at + _AT_OP : at + _AT_KIND] != _NO_OP

    def _tell(self, at: int) -> None:
        now_s = int(time.monotonic())
        if now_s != self._lines_s:
            self._lines_s, self._lines = now_s, 0
        self._lines += 1
        if self._lines > LINES_PER_S:
            return
        span = _span("", self._memory[at : at + _SPAN.size])
        if span is not None:
            log.info("trace.span", **as_json(span))


class NoRing:
    """Nothing is kept."""

    def begin(self, kind: int, op: bytes, table: int = 0, hand: int = 0) -> int:
        return -1

    def place(self, slot: int, table: int, hand: int, seq: int) -> None: ...

    def end(self, slot: int, *, refused: bool = False) -> None: ...

    def close(self) -> None: ...


ring: Ring | NoRing = NoRing()
"""Of this process."""


def open_ring(folder: Path, program: str, *, records: int, one_in: int) -> None:
    """From now on this process keeps spans in `folder`. A disk that has no room, or a folder
    that cannot be written, costs the traces and nothing else: the program goes on without."""
    global ring
    ring.close()
    ring = NoRing()
    if records <= 0:
        return
    try:
        ring = _open(folder, program, records, one_in)
    except OSError as error:
        log.warning("trace.not_kept", folder=str(folder), error=error.strerror)


def _open(folder: Path, program: str, records: int, one_in: int) -> Ring:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    size = _HEADER.size + records * _SPAN.size
    path, file = _own_file(folder, program.replace("/", "-").replace(" ", "-"))
    try:
        # All of it now: a hole that the disk cannot fill later would end the process (SIGBUS).
        os.posix_fallocate(file, 0, size)
        memory = mmap.mmap(file, size)
    except OSError:
        os.close(file)
        with contextlib.suppress(OSError):
            path.unlink()  # nobody may find a file without room
        raise
    _HEADER.pack_into(memory, 0, _MAGIC, records, program.encode()[:116])
    return Ring(memory, records, one_in, file)


def _own_file(folder: Path, name: str) -> tuple[Path, int]:
    """A file that no other process writes; what the one before us kept is the `.old` now."""
    for number in range(1, 100):
        path = folder / f"{name}{'' if number == 1 else f'.{number}'}{SUFFIX}"
        if path.exists():
            held = os.open(path, os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
                path.replace(path.with_suffix(f"{SUFFIX}.old"))
            except BlockingIOError:
                continue
            finally:
                os.close(held)
        try:
            flags = os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
            file = os.open(path, flags, 0o600)
        except FileExistsError:
            continue
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return path, file
    raise FileExistsError(17, "all names are taken", str(folder / name))


# ---- reading -----------------------------------------------------------------------------------


def read(folder: Path) -> Iterator[Span]:
    """What all processes kept there, those that are gone among them; in no order."""
    for path in sorted(folder.glob(f"*{SUFFIX}*")):
        try:
            data = path.read_bytes()
            again = path.read_bytes()  # a span that differs was just being written
        except OSError:
            continue
        if len(data) < _HEADER.size or len(data) != len(again):
            continue
        magic, records, program = _HEADER.unpack_from(data)
        if magic != _MAGIC or len(data) < _HEADER.size + records * _SPAN.size:
            continue
        name = program.rstrip(b"\0").decode("utf-8", "replace")
        for at in range(_HEADER.size, _HEADER.size + records * _SPAN.size, _SPAN.size):
            if not data[at + _AT_KIND]:
                continue
            if data[at : at + _SPAN.size] == again[at : at + _SPAN.size]:
                span = _span(name, data[at : at + _SPAN.size])
                if span is not None:
                    yield span


def _span(program: str, data: bytes) -> Span | None:
    begun_us, table, hand, seq, first, second, op, kind, end = _SPAN.unpack(data)
    if kind not in _KINDS or end not in _ENDS:
        return None
    return Span(
        program=program,
        kind=Kind(kind),
        end=End(end),
        op=b"" if op == _NO_OP else op,
        begun_us=begun_us,
        first_us=None if first == _NEVER else first,
        second_us=None if second == _NEVER else second,
        table=table,
        hand=hand,
        seq=seq,
    )


def as_json(span: Span) -> dict[str, object]:
    """The fields of a log line; `of_json` reads them."""
    return {
        "kind": span.kind.name.lower(),
        "end": span.end.name.lower(),
        "request": span.op.hex(),
        "begun_us": span.begun_us,
        "first_us": span.first_us,
        "second_us": span.second_us,
        "table": str(span.table),
        "hand": span.hand,
        "seq": span.seq,
    }


def of_json(program: str, line: dict[str, object]) -> Span:
    """ValueError, KeyError or TypeError: that is no `trace.span`."""

    def number(name: str) -> int | None:
        value = line[name]
        return None if value is None else int(str(value))

    return Span(
        program=program,
        kind=Kind[str(line["kind"]).upper()],
        end=End[str(line["end"]).upper()],
        op=bytes.fromhex(str(line["request"])),
        begun_us=int(str(line["begun_us"])),
        first_us=number("first_us"),
        second_us=number("second_us"),
        table=int(str(line["table"])),
        hand=int(str(line["hand"])),
        seq=int(str(line["seq"])),
    )
