"""One id from the client's action through gateway, host, journal and settlement, while the disk
of the logs is full."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from typer.testing import CliRunner

from hall_client import HallClient
from hall_client.bots.mind import GameMind
from hall_client.errors import Refused
from hall_client.load.books import read_books
from hall_client.load.driver import Driver, LoadPlan
from paiju.cli.admin import app
from paiju.rules import record as records
from paiju.rules.registry import Registry
from paiju.service import trace
from paiju.service.ids import new_op
from paiju.service.trace import End, Kind, Span
from paiju.wire.v1 import hall_pb2
from tests.integration.hall_client.mini_hall import MiniHall

REGISTRY = Registry.default()


def _traced(which: str, folder: Path) -> list[dict[str, Any]]:
    ran = CliRunner().invoke(app, ["trace", which, "--data-dir", str(folder), "--json", "-"])
    assert ran.exit_code == 0, ran.output
    events: list[dict[str, Any]] = json.loads(ran.stdout)["events"]
    return events


def _what(events: list[dict[str, Any]], program: str) -> list[str]:
    return [e["what"] for e in events if e["program"].startswith(program)]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
async def test_an_action_is_seen_everywhere_it_was_and_shows_no_card(tmp_path: Path) -> None:
    """Every operation writes log lines here, and data server and host cannot write one. (The
    gateway can: its lines tell this test where it listens.)"""
    async with MiniHall(tmp_path, gateways=1, trace_one_in=1, full_log_disk=True) as hall:
        joined = new_op()
        async with HallClient(hall.gateways, server_keys=hall.server_keys) as client:
            await client.guest(b"s" * 32)
            join = hall_pb2.QuickJoin(room="chihuoguo.novice")
            await client.call(hall_pb2.Command(op=joined, quick_join=join))
            with pytest.raises(Refused) as refused:
                await client.quick_join("doudizhu.nowhere")
        plan = LoadPlan(
            gateways=hall.gateways, server_keys=hall.server_keys, room="doudizhu.novice",
            players=3, hands=1, drops=0, seed=3, deadline_s=60,
        )  # fmt: skip
        result = await Driver(plan, make_mind=lambda _: GameMind(REGISTRY)).run()
        assert result.errors == [] and result.hands >= 1
        spans = list(trace.read(tmp_path / trace.FOLDER))  # beside the running processes
        lines = [json.loads(line) for line in hall.logs if line.startswith("{")]
        assert {line["program"] for line in lines} == {"gateway gs/gateway-0"}

    # A full disk stops no play.
    engine = sa.create_engine(hall.database_url)
    books = read_books(engine)
    engine.dispose()
    assert (books.sum, books.unbalanced, books.escrow) == (0, 0, 0)
    assert books.settlements == result.hands and result.voided == 0

    acted = [s for s in spans if s.kind is Kind.HOST and s.seq and s.end is End.DONE]
    assert acted and {s.program for s in acted} == {"host gs-0"}
    one = next(s for s in acted if any(_settled(other, s) for other in spans))
    events = _traced(one.op.hex(), tmp_path)
    assert events[0]["what"].startswith("made")
    assert _what(events, "gateway") == ["received", "answered"]
    assert _what(events, "host")[:3] == ["arrived", "applied", "in the journal"]
    assert _what(events, "host")[3:] == ["hand in the journal", "hand answered by the ledger"]
    assert _what(events, "data-server") == ["hand arrived", "hand booked"]
    assert {e["table"] for e in events if e["hand"]} == {str(one.table)}
    times = [e["time_us"] for e in events]
    assert times == sorted(times) and times[-1] - times[0] < 60 * 10**6

    # Sitting down goes on to the data server under an id made from the first one.
    seat = _traced(joined.hex(), tmp_path)
    assert _what(seat, "gateway") == ["received", "answered"]
    assert _what(seat, "host") == ["arrived", "applied", "in the journal"]
    assert _what(seat, "data-server") == ["arrived", "answered"]

    # What was refused can be found by what the client's error says.
    asked = _traced(refused.value.op, tmp_path)
    assert _what(asked, "gateway") == ["received", "answered: refused"]

    # A whole hand by its number: every action of it, and its way into the ledger.
    hand = _traced(f"{one.table}/{one.hand}", tmp_path)
    assert _what(hand, "data-server") == ["hand arrived", "hand booked"]
    assert len(_what(hand, "host")) > 3 * 3

    # The sampled lines say the same, and neither they nor the files say what was played.
    told = [line for line in lines if line["event"] == "trace.span"]
    assert one.op.hex() in {line["request"] for line in told} or len(told) >= 10
    assert {key for line in told for key in line if key != "session"} == {
        *trace.as_json(one), "event", "level", "timestamp", "program",
    }  # fmt: skip
    kept = b"".join(path.read_bytes() for path in (tmp_path / trace.FOLDER).iterdir())
    secret = _secret_texts(tmp_path)
    assert len(secret) > 5  # however short the hand was
    everything = kept.decode("latin-1") + json.dumps([events, seat, hand, told])
    assert [text for text in secret if text in everything] == []


def _settled(span: Span, of: Span) -> bool:
    return span.kind is Kind.SETTLEMENT and (span.table, span.hand) == (of.table, of.hand)


def _secret_texts(folder: Path) -> set[str]:
    """Secrets, and actions that name cards, of all hands as the ledger has them."""
    engine = sa.create_engine(f"sqlite:///{folder / 'hall.sqlite3'}")
    with engine.connect() as connection:
        rows = connection.execute(sa.text("SELECT record FROM hand_record")).scalars().all()
    engine.dispose()
    found = [records.decode(row) for row in rows]
    actions = {action.action for one in found for action in one.actions}
    return {one.secret for one in found} | {text for text in actions if " " in text}
