"""`paiju admin trace`: the way of one operation through the programs, with times.

It reads what the processes keep in `trace/` of the data folder and the lines of `logs/` that
name the operation; no process is asked, so those that died are heard, too. Who may read the
folder may read it: it tells when and where, never what was played (paiju/service/trace.py).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from paiju.cli.admin_options import HOME, DataDir, Json, table_of, write_json
from paiju.cli.output import console, fail
from paiju.service import ids
from paiju.service import trace as traces
from paiju.service.trace import End, Kind, Span

LOGS = ("*.log", "*.err", "*.out", "*.jsonl")
_HAND = re.compile(r"(\d+)/(\d+)")


@dataclass(frozen=True, slots=True)
class Event:
    """after_ms: since the first one, by the clocks of the machines that noted them."""

    time_us: int
    after_ms: float
    program: str
    what: str
    table: str = ""
    hand: int = 0
    seq: int = 0


def trace(
    which: Annotated[
        str, typer.Argument(metavar="ID", help="Operation id (32 hex digits), or TABLE/HAND.")
    ],
    folder: Annotated[
        list[Path] | None,
        typer.Option(help="Data folders of further machines, or copies of them."),
    ] = None,
    json_file: Json = None,
    data_dir: DataDir = HOME,
) -> None:
    """Where an operation was, and when: client, gateway, host, journal, settlement, ledger.

    Example: paiju admin trace 0199c2f2a1b07c3e8d5f0a1b2c3d4e5f --data-dir /srv/paiju
    """
    folders = [data_dir, *(folder or ())]
    hand = _HAND.fullmatch(which)
    if hand is not None:
        found = _of_hand(folders, int(hand[1]), int(hand[2]))
        events = list(_events(found))
    else:
        op = _op(which)
        found, lines = _of_operation(folders, op)
        events = [_made(op), *_events(found), *lines] if found or lines else []
    if not events:
        fail(f"nothing is kept of {which} in {', '.join(map(str, folders))}")
    show(which, events, json_file)


def show(which: str, events: Iterable[Event], json_file: Path | None) -> None:
    ordered = sorted(events, key=lambda event: event.time_us)
    begun_us = ordered[0].time_us
    timed = [_after(event, begun_us) for event in ordered]
    table = table_of("time UTC", "ms", "program", "what", "where")
    for event in timed:
        at = datetime.fromtimestamp(event.time_us / 1e6, UTC)
        where = f"table {event.table}" if event.table else ""
        where += f" hand {event.hand}" if event.hand else ""
        where += f" number {event.seq}" if event.seq else ""
        table.add_row(
            f"{at:%H:%M:%S.%f}", f"{event.after_ms:.1f}", event.program, event.what, where
        )
    console(None if json_file is None else str(json_file)).print(table)
    write_json(json_file, {"id": which, "events": [asdict(event) for event in timed]})


def _after(event: Event, begun_us: int) -> Event:
    return Event(**{**asdict(event), "after_ms": (event.time_us - begun_us) / 1000})


def _op(which: str) -> bytes:
    try:
        op = bytes.fromhex(which.replace("-", ""))
        ids.op_time_us(op)
    except ValueError:
        fail(f"{which!r} is neither an operation id (UUIDv7) nor TABLE/HAND", code=2)
    return op


def _made(op: bytes) -> Event:
    """The id itself says when its maker made it, to the millisecond."""
    return Event(ids.op_time_us(op), 0.0, "client", "made (the client's clock)")


def _of_operation(folders: Sequence[Path], op: bytes) -> tuple[list[Span], list[Event]]:
    """What was kept of it and of the settlement of its hand; log lines that name it."""
    wanted = {op, ids.derived_op(op, "sit")}
    kept = [span for span in _kept(folders) if span.op in wanted or not span.op]
    lines = [line for line in _lines(folders, op.hex()) if line.get("request") == op.hex()]
    told = [span for line in lines if (span := _told(line)) is not None]
    found = _distinct([span for span in kept if span.op] + told)
    hands = {(span.table, span.hand) for span in found if span.kind is Kind.HOST and span.hand}
    found += [span for span in kept if not span.op and (span.table, span.hand) in hands]
    return found, [event for line in lines if (event := _said(line)) is not None]


def _of_hand(folders: Sequence[Path], table: int, hand: int) -> list[Span]:
    return [span for span in _kept(folders) if (span.table, span.hand) == (table, hand)]


def _kept(folders: Sequence[Path]) -> Iterator[Span]:
    for folder in folders:
        yield from traces.read(folder / traces.FOLDER)


def _distinct(spans: Iterable[Span]) -> list[Span]:
    """A span may be in the ring and in the log."""
    return list({(span.program, span.kind, span.begun_us): span for span in spans}.values())


def _events(spans: Iterable[Span]) -> Iterator[Event]:
    for span in spans:
        names = traces.MARKS[span.kind]
        table = str(span.table) if span.table else ""
        what = f"hand {names[0]}" if not span.op else names[0]
        yield Event(span.begun_us, 0.0, span.program, what, table, span.hand, span.seq)
        for name, after in zip(names[1:], (span.first_us, span.second_us), strict=True):
            if name and after is not None:
                last = name == names[-1]
                refused = last and span.end is End.REFUSED
                told = f"{name}: refused" if refused else name
                what = f"hand {told}" if not span.op else told
                at_us = span.begun_us + after
                yield Event(at_us, 0.0, span.program, what, table, span.hand, span.seq)


# ---- logs --------------------------------------------------------------------------------------


def _lines(folders: Sequence[Path], text: str) -> Iterator[dict[str, Any]]:
    """JSON lines of all logs in which the text stands."""
    seen: set[Path] = set()
    for folder in folders:
        logs = folder / "logs"
        for place in (logs, logs / "ray"):
            for pattern in LOGS:
                for path in sorted(place.glob(pattern)):
                    if path.resolve() not in seen:
                        seen.add(path.resolve())
                        yield from _lines_of(path, text)


def _lines_of(path: Path, text: str) -> Iterator[dict[str, Any]]:
    try:
        with path.open(encoding="utf-8", errors="replace") as file:
            for line in file:
                if text not in line:
                    continue
                try:
                    found = json.loads(line[line.index("{") :])
                except ValueError:
                    continue
                if isinstance(found, dict):
                    yield found
    except OSError:
        return


def _told(line: dict[str, Any]) -> Span | None:
    if line.get("event") != "trace.span":
        return None
    try:
        return traces.of_json(str(line.get("program", "")), line)
    except (ValueError, KeyError, TypeError):
        return None


def _said(line: dict[str, Any]) -> Event | None:
    """Any other line that is bound to the operation."""
    if line.get("event") == "trace.span":
        return None
    try:
        at = datetime.fromisoformat(str(line["timestamp"]))
    except (KeyError, ValueError):
        return None
    what = f"said {line.get('event')}"
    return Event(int(at.timestamp() * 1e6), 0.0, str(line.get("program", "")), what)
