"""Logging: structlog, JSON lines in services, coloured lines on a terminal.

Event names are constants such as `table.opened`, not prose; what varies is a field. Lines that
are written while something is done for a player carry `request` (the operation's id), `session`
(player.epoch.connection) and `table`: see `about`. What may not be read is left out (redaction.py).

A line that cannot be written - a full disk, a reader that is gone - is lost and counted, and the
program goes on: nothing that plays waits for its log.
"""

from __future__ import annotations

import contextlib
import json as jsons
import logging
import sys
import threading
from collections.abc import Callable, MutableMapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, NamedTuple, TextIO

import structlog

from paiju.service.log_files import DatabaseLog, Lines
from paiju.service.redaction import clean, redact
from paiju.service.settings import Settings

log = structlog.get_logger()

LEVEL_FILE = "log-level"
"""In the data folder: levels that hold while it is there (`paiju admin log-level`)."""
LOOK_S = 1.0
DATABASE = "database"


class LogSettings(Settings):
    log_level: str = "INFO"
    """DEBUG, INFO, WARNING or ERROR: less important lines are not written. While it runs:
    `paiju admin log-level`."""
    database_log: Path | None = None
    """Also writes what the database refused or did not answer to this file; None: only with the
    other lines, where `stream` is `database`."""


class About(NamedTuple):
    """For whom or what lines are written; 0 and empty: unknown."""

    op: bytes = b""
    player: int = 0
    epoch: int = 0
    connection: int = 0
    table: int = 0


about: ContextVar[Callable[[], About] | None] = ContextVar("about", default=None)
"""Set it where the work begins, to None where it ends; tasks begun in between keep it. It is
called only when a line is written: most commands write none."""


class _Out:
    """The end of structlog's chain: lines that are rendered."""

    def __init__(self, lines: Lines) -> None:
        self.msg = lines.write
        self.debug = self.info = self.warning = self.error = self.critical = lines.write
        self.exception = self.log = lines.write


_lines = Lines(sys.stderr)


def lost() -> int:
    """How many lines of this process could not be written."""
    return _lines.lost


def configure(
    program: str,
    *,
    level: str = "INFO",
    json: bool | None = None,
    stream: TextIO | None = None,
    level_file: Path | None = None,
    database_log: Path | None = None,
) -> None:
    """Set up logging of this process, once, before anything logs.

    json None: JSON unless the stream is a terminal. level_file: levels while it runs.
    """
    global _lines
    out = stream or sys.stderr
    as_json = (not out.isatty()) if json is None else json
    number = _number(level)
    _lines = Lines(out)
    chain: list[Any] = [
        structlog.contextvars.merge_contextvars,
        _about,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        # As text, on a terminal, too, before cards are taken out. The terminal's own way draws the
        # values of all variables: passwords, tickets, cards.
        structlog.processors.format_exc_info,
        redact,
    ]
    if database_log is not None:
        chain.append(_copy_to(DatabaseLog(database_log)))
    plain = structlog.dev.plain_traceback
    terminal = structlog.dev.ConsoleRenderer(colors=out.isatty(), exception_formatter=plain)
    chain.append(_json if as_json else terminal)
    structlog.configure(
        processors=chain,
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=lambda *_: _Out(_lines),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(program=program)
    _take_in_libraries(program, as_json)
    if level_file is not None:
        watch = _LevelFile(level_file, program, number)
        watch.look()
        threading.Thread(target=watch.run, name="log-level", daemon=True).start()


# ---- levels ------------------------------------------------------------------------------------


def _number(level: str) -> int:
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise ValueError(f"log_level: {level!r} is unknown; use DEBUG, INFO, WARNING or ERROR")
    return number


class _LevelFile:
    """Lines `LEVEL` (for all programs) or `PROGRAM LEVEL`; PROGRAM is the name in the log lines
    or its first word: data-server, supervisor, gateway, host. The last that fits holds."""

    def __init__(self, path: Path, program: str, usual: int) -> None:
        self._path = path
        self._names = (program, program.split(" ")[0])
        self._usual = self._now = usual
        self._seen = 0

    def run(self) -> None:
        pause = threading.Event()
        while True:
            pause.wait(LOOK_S)
            self.look()

    def look(self) -> None:
        """Once."""
        try:
            changed = self._path.stat().st_mtime_ns
        except OSError:
            changed = 0
        if changed == self._seen:
            return
        self._seen = changed
        wanted = self._wanted() if changed else self._usual
        if wanted != self._now:
            self._now = wanted
            structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(wanted))
            log.warning(
                "log.level_changed", to=logging.getLevelName(wanted), program=self._names[0]
            )

    def _wanted(self) -> int:
        found = self._usual
        with contextlib.suppress(OSError):
            for line in self._path.read_text("utf-8", "replace").splitlines():
                name, _, level = line.strip().rpartition(" ")
                if not name or name in self._names:
                    with contextlib.suppress(ValueError):
                        found = _number(level)
        return found


# ---- what becomes of a line --------------------------------------------------------------------


def _about(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    tell = about.get()
    if tell is not None:
        now = tell()
        if now.op:
            event.setdefault("request", now.op.hex())
        if now.player:
            event.setdefault("session", f"{now.player}.{now.epoch}.{now.connection}")
        if now.table:
            event.setdefault("table", now.table)
    if "table" in event:
        event["table"] = str(event["table"])  # above 2^53 many readers lose digits
    return event


def _json(_: Any, __: str, event: MutableMapping[str, Any]) -> str:
    return jsons.dumps(event, ensure_ascii=False, default=repr)


def _copy_to(file: DatabaseLog) -> Callable[[Any, str, MutableMapping[str, Any]], Any]:
    def copy(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
        if event.get("stream") == DATABASE:
            file.write(_json(None, "", event))
        return event

    return copy


def of_database(error: BaseException, *, attempt: int = 1) -> dict[str, Any]:
    """Fields of a line that tells of a database's failure: what it was, without the values that
    were to be written. attempt: how often it has been tried by now."""
    cause = getattr(error, "orig", None) or error
    diagnosis = getattr(cause, "diag", None)
    told = getattr(diagnosis, "message_primary", None) or str(cause).split("\n", 1)[0]
    return {
        "stream": DATABASE,
        "sqlstate": getattr(cause, "sqlstate", None) or getattr(cause, "sqlite_errorname", None),
        "kind": type(cause).__name__,
        "error": told[:300],
        "attempt": attempt,
    }


# ---- what libraries say ------------------------------------------------------------------------


class _Library(logging.Handler):
    def __init__(self, program: str, as_json: bool) -> None:
        super().__init__()
        self._program = program
        self._as_json = as_json

    def emit(self, record: logging.LogRecord) -> None:
        try:
            text = record.getMessage()
            if not self._as_json:
                _lines.write(clean("error", text))
                return
            line = {
                "program": self._program,
                "level": record.levelname.lower(),
                "logger": record.name,
                "error": text,
                "event": "library.said",
            }
            if record.exc_info and record.exc_info[0] is not None:
                line["exception"] = logging.Formatter().formatException(record.exc_info)
            stamped = structlog.processors.TimeStamper(fmt="iso", utc=True)(None, "", line)
            _lines.write(_json(None, "", redact(None, "", dict(stamped))))
        except Exception:  # a library's line is never worth a crash
            _lines.lost += 1


def _take_in_libraries(program: str, as_json: bool) -> None:
    logging.basicConfig(handlers=[_Library(program, as_json)], level=logging.WARNING, force=True)
