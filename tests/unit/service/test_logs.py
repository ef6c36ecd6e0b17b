"""Logs: one form of names, nothing secret, levels while it runs, and no room is no fault."""

from __future__ import annotations

import ast
import io
import json
import logging
import re
import sqlite3
import subprocess
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
import structlog

from paiju.service import logs
from paiju.service.ids import new_op

ROOT = Path(__file__).resolve().parents[3]
PROGRAMS = ("paiju", "data_server", "game_server", "hall_client")
METHODS = {"debug", "info", "warning", "error", "exception", "critical", "log"}
FORM = re.compile(r"[a-z][a-z_]*\.[a-z][a-z_]*")


@pytest.fixture
def stream() -> Iterator[io.StringIO]:
    written = io.StringIO()
    before, root = structlog.get_config(), logging.getLogger()
    handlers, level = root.handlers[:], root.level
    logs.configure("host gs-0", json=True, stream=written)
    yield written
    structlog.configure(**before)
    structlog.contextvars.clear_contextvars()
    root.handlers[:], root.level = handlers, level


def _lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


# ---- names -------------------------------------------------------------------------------------


def _events() -> Iterator[tuple[str, ast.expr]]:
    """(where, first argument) of every call of a logger in the programs."""
    for program in PROGRAMS:
        for path in sorted((ROOT / program).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text("utf-8"))):
                if (
                    isinstance(node, ast.Call)
                    and isinstance(node.func, ast.Attribute)
                    and node.func.attr in METHODS
                    and isinstance(node.func.value, ast.Name)
                    and node.func.value.id in ("log", "_log")
                ):
                    name = node.args[1 if node.func.attr == "log" else 0]
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", name


def test_every_event_has_a_constant_name_of_one_form() -> None:
    found = list(_events())
    assert len(found) > 100
    wrong = [
        where
        for where, name in found
        if not (isinstance(name, ast.Constant) and FORM.fullmatch(str(name.value)))
    ]
    assert wrong == []


def test_programs_log_by_structlog_alone() -> None:
    """So that nothing goes around names and redaction."""
    around = [
        str(path.relative_to(ROOT))
        for program in PROGRAMS
        for path in sorted((ROOT / program).rglob("*.py"))
        if re.search(r"logging\.(info|warning|error|debug|exception)\(", path.read_text())
    ]
    assert around == []


# ---- lines -------------------------------------------------------------------------------------


def test_a_line_is_one_json_object_with_time_level_and_program(stream: io.StringIO) -> None:
    structlog.get_logger().info("table.opened", room="doudizhu.novice", text="two\nlines")
    (line,) = _lines(stream)
    assert line["event"] == "table.opened" and line["level"] == "info"
    assert line["program"] == "host gs-0" and line["timestamp"].endswith("Z")


def test_lines_say_for_whom(stream: io.StringIO) -> None:
    op, log = new_op(), structlog.get_logger()
    logs.about.set(lambda: logs.About(op, 2**60 + 1, 3, 4, 2**60 + 2))
    log.error("command.fault")
    logs.about.set(None)
    log.error("command.fault")
    bound, unbound = _lines(stream)
    assert bound["request"] == op.hex()
    assert bound["session"] == f"{2**60 + 1}.3.4" and bound["table"] == str(2**60 + 2)
    assert not {"request", "session", "table"} & unbound.keys()


SECRETS = {
    "password": "hunter2", "ticket": "v4.public.abc", "refresh_token": "rrr", "admin_key": b"kk",
    "cards": ["3s", "4d"], "deck": "3s 3h", "action": "play 3s 3h", "view": {"hand": "2s BJ"},
    "contribution": b"ccc", "snapshot": "{}", "given": {"name": "Ann", "device_secret": "ddd"},
}  # fmt: skip


def test_neither_secrets_nor_what_players_hold_is_written(stream: io.StringIO) -> None:
    structlog.get_logger().error("command.fault", table=7, hand=3, **SECRETS)
    text = stream.getvalue()
    for word in ("hunter2", "v4.public", "rrr", "kk", "3s", "4d", "2s", "BJ", "ccc", "ddd"):
        assert word not in text, word
    (line,) = _lines(stream)
    assert (line["table"], line["hand"], line["given"]["name"]) == ("7", 3, "Ann")


def test_a_fault_of_the_rules_shows_no_card(stream: io.StringIO) -> None:
    log = structlog.get_logger()
    try:
        raise ValueError("seat 2 does not hold 3s, only Td Ah BJ and 10c")
    except ValueError as error:
        log.exception("rules.fault", error=repr(error))
    text = stream.getvalue()
    (line,) = _lines(stream)
    assert "does not hold [card], only [card] [card] [card] and [card]" in line["error"]
    assert "ValueError" in line["exception"] and "test_logs.py" in line["exception"]
    for card in ("3s", "Td", "Ah", "BJ", "10c"):
        assert card not in text


def test_what_libraries_say_is_json_too(stream: io.StringIO) -> None:
    logging.getLogger("some.library").warning("the token is %s", "Ah")
    logging.getLogger("some.library").info("chatter")
    (line,) = _lines(stream)
    assert line["event"] == "library.said" and line["logger"] == "some.library"
    assert line["error"] == "the token is [card]"


# ---- the database's stream ---------------------------------------------------------------------


def test_failures_of_a_database_have_a_stream_of_their_own(tmp_path: Path) -> None:
    file, written = tmp_path / "database.jsonl", io.StringIO()
    before = structlog.get_config()
    logs.configure("data-server", json=True, stream=written, database_log=file)
    try:
        log = structlog.get_logger()
        log.warning("database.again", **logs.of_database(_busy(tmp_path), attempt=3))
        log.info("table.opened")
    finally:
        structlog.configure(**before)
    (line,) = [json.loads(line) for line in file.read_text().splitlines()]
    assert line["sqlstate"] == "SQLITE_BUSY" and line["attempt"] == 3
    assert line["stream"] == "database" and line["kind"] == "OperationalError"
    assert [one["event"] for one in _lines(written)] == ["database.again", "table.opened"]
    assert file.stat().st_mode & 0o077 == 0


def _busy(folder: Path) -> sa.exc.DBAPIError:
    holder = sqlite3.connect(folder / "x.db", isolation_level=None)
    holder.execute("BEGIN EXCLUSIVE")
    engine = sa.create_engine(f"sqlite:///{folder}/x.db", connect_args={"timeout": 0})
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql("CREATE TABLE t (x)")
    except sa.exc.DBAPIError as error:
        return error
    finally:
        engine.dispose()
        holder.close()
    raise AssertionError("it was not busy")


def test_values_that_were_to_be_written_are_not_told() -> None:
    class Diagnosis:
        message_primary = 'duplicate key value violates unique constraint "player_name_key"'

    class Cause(Exception):
        sqlstate = "23505"
        diag = Diagnosis()

    text = 'duplicate key value violates unique constraint "player_name_key"\nDETAIL: (name)=(Ann)'
    told = logs.of_database(sa.exc.IntegrityError("INSERT", {}, Cause(text)), attempt=2)
    assert told["sqlstate"] == "23505" and told["attempt"] == 2
    assert "Ann" not in json.dumps(told)


# ---- levels ------------------------------------------------------------------------------------


def test_levels_change_while_it_runs(tmp_path: Path) -> None:
    file, written, before = tmp_path / logs.LEVEL_FILE, io.StringIO(), structlog.get_config()
    try:
        logs.configure("host gs-0", json=True, stream=written, level_file=file)
        log = structlog.get_logger()
        said: defaultdict[str, bool] = defaultdict(bool)

        def hears(level: str) -> bool:
            """Whether such a line is written by now."""
            length = len(written.getvalue())
            getattr(log, level)("test.level")
            said[level] = "test.level" in written.getvalue()[length:]
            return said[level]

        assert not hears("debug") and hears("info")
        file.write_text("gateway ERROR\nhost DEBUG\n")
        _until(lambda: hears("debug"))
        file.write_text("WARNING\n")
        _until(lambda: not hears("info"))
        assert hears("warning")
        file.unlink()
        _until(lambda: hears("info") and not hears("debug"))
        assert "log.level_changed" in written.getvalue()
    finally:
        file.write_text("INFO")
        structlog.configure(**before)


def _until(condition: Any, within_s: float = 20.0) -> None:
    until = time.monotonic() + within_s
    while not condition():
        assert time.monotonic() < until
        time.sleep(0.02)


def test_a_level_that_is_none_is_named() -> None:
    with pytest.raises(ValueError, match="log_level: 'LOUD' is unknown; use DEBUG"):
        logs.configure("host", level="LOUD")


# ---- a full disk -------------------------------------------------------------------------------

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")


@needs_full
def test_a_line_that_cannot_be_written_is_lost_and_nothing_else_is() -> None:
    code = (
        "import logging, structlog; from paiju.service import logs;"
        "logs.configure('host', json=True);"
        "[structlog.get_logger().info('table.opened') for _ in range(3)];"
        "logging.getLogger('x').warning('y'); print(logs.lost())"
    )
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-c", code], stderr=full, stdout=subprocess.PIPE, cwd=ROOT, check=False
        )
    assert (done.returncode, done.stdout) == (0, b"4\n")


def test_when_there_is_room_again_it_says_how_many_are_missing() -> None:
    class Disk(io.StringIO):
        full = False

        def write(self, text: str) -> int:
            if self.full:
                raise OSError(28, "No space left on device")
            return super().write(text)

    disk = Disk()
    lines = logs.Lines(disk)
    lines.write('{"event": "a"}')
    disk.full = True
    lines.write('{"event": "b"}')
    lines.write('{"event": "c"}')
    disk.full = False
    lines.write('{"event": "d"}')
    lines.write('{"event": "e"}')
    written = [json.loads(line) for line in disk.getvalue().splitlines() if line]
    assert [line["event"] for line in written] == ["a", "log.lines_lost", "d", "e"]
    assert written[1]["lines"] == 2 and lines.lost == 2


def test_what_libraries_say_on_a_terminal_shows_no_card_either() -> None:
    out = io.StringIO()
    logs.configure("test", json=False, stream=out)
    logging.getLogger("library").warning("cannot read: Ts 9h BJ")
    assert "cannot read" in out.getvalue()
    assert not {"Ts", "9h", "BJ"} & set(out.getvalue().split())
