"""What clients were told against what is in the records: lost and doubled actions.

Each client keeps a log of what it sent and what it was answered; afterwards the records of
the database, read by plain SQL, must tell the same. Nothing of the servers is used here.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlalchemy import Engine, text

from paiju.rules import record
from paiju.rules.record import Record

_EACH_RECORD = "SELECT record FROM hand_record ORDER BY table_id, hand"

Place = tuple[int, int, int]
"""Table, hand, seat."""


@dataclass(slots=True)
class Sent:
    """An action that a client sent. seq: the number it was acknowledged with; 0: it was not."""

    line: str
    seq: int = 0


@dataclass
class ActionLog:
    """What all clients sent and were answered, in the order of each seat."""

    sent: dict[Place, list[Sent]] = field(default_factory=lambda: defaultdict(list))

    def begin(self, table: int, hand: int, seat: int, line: str) -> Sent:
        """The action leaves; the answer goes into what is returned."""
        entry = Sent(line)
        self.sent[table, hand, seat].append(entry)
        return entry

    def refused(self, table: int, hand: int, seat: int, entry: Sent) -> None:
        """The hall said no: nothing may have happened."""
        self.sent[table, hand, seat].remove(entry)

    @property
    def acknowledged(self) -> int:
        return sum(1 for entries in self.sent.values() for entry in entries if entry.seq)


@dataclass
class Verdict:
    """lost: acknowledged, but not in the record. double: in the record more often than sent,
    or acknowledged twice with one number."""

    acknowledged: int = 0
    recorded: int = 0
    lost: list[str] = field(default_factory=list)
    double: list[str] = field(default_factory=list)


def read_records(engine: Engine) -> list[Record]:
    with engine.connect() as connection:
        return [record.decode(bytes(data)) for (data,) in connection.execute(text(_EACH_RECORD))]


def compare(log: ActionLog, records: Iterable[Record]) -> Verdict:
    """Every acknowledged action is in its record once; nothing is there that nobody sent."""
    verdict = Verdict(acknowledged=log.acknowledged)
    recorded: dict[Place, list[str]] = defaultdict(list)
    for one in records:
        for action in one.actions:
            if action.cause == "player":
                recorded[int(one.table), one.hand, action.seat].append(action.action)
    for place in sorted({*recorded, *log.sent}):
        lines = recorded.get(place, [])
        verdict.recorded += len(lines)
        _compare_seat(place, log.sent.get(place, []), lines, verdict)
    _compare_numbers(log.sent, verdict)
    return verdict


def _compare_seat(
    place: Place, sent: Sequence[Sent], recorded: Sequence[str], verdict: Verdict
) -> None:
    """Both in order: a sent action without an acknowledgement may be there or not."""
    left = list(sent)
    for line in recorded:
        while left and left[0].line != line and not left[0].seq:
            left.pop(0)
        if left and left[0].line == line:
            left.pop(0)
        else:
            verdict.double.append(f"{place}: {line}")
    verdict.lost += [f"{place}: {entry.line} (number {entry.seq})" for entry in left if entry.seq]


def _compare_numbers(sent: Mapping[Place, Sequence[Sent]], verdict: Verdict) -> None:
    seen: dict[tuple[int, int], str] = {}
    for (table, hand, seat), entries in sent.items():
        for entry in entries:
            if not entry.seq:
                continue
            other = seen.setdefault((table, entry.seq), f"hand {hand} seat {seat} {entry.line}")
            mine = f"hand {hand} seat {seat} {entry.line}"
            if other != mine:
                verdict.double.append(f"table {table} number {entry.seq}: {other} and {mine}")
