"""Logging: structlog, JSON lines in services, coloured lines on a terminal.

Event names are constants such as `table.opened`, not prose; what varies is a field.
Request, session and table ids are bound by `structlog.contextvars`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import MutableMapping
from typing import Any, TextIO

import structlog

_SECRET = ("password", "secret", "ticket", "token", "refresh", "key")


def _redact(_: Any, __: str, event: MutableMapping[str, Any]) -> MutableMapping[str, Any]:
    for name in event:
        if name != "event" and any(part in name for part in _SECRET):
            event[name] = "[redacted]"
    return event


def configure(
    program: str, *, level: str = "INFO", json: bool | None = None, stream: TextIO | None = None
) -> None:
    """Set up logging of this process, once, before anything logs.

    json None: JSON unless the stream is a terminal.
    """
    out = stream or sys.stderr
    as_json = (not out.isatty()) if json is None else json
    number = logging.getLevelNamesMapping().get(level.upper())
    if number is None:
        raise ValueError(f"log level {level!r} is unknown; use DEBUG, INFO, WARNING or ERROR")
    renderer: Any = (
        structlog.processors.JSONRenderer(ensure_ascii=False)
        if as_json
        else structlog.dev.ConsoleRenderer(
            colors=out.isatty(),
            # Its own choice draws the values of all variables: passwords, tickets, cards.
            exception_formatter=structlog.dev.plain_traceback,
        )
    )
    structlog.configure(
        processors=[
            structlog.contextvars.merge_contextvars,
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
            _redact,
            structlog.processors.StackInfoRenderer(),
            structlog.processors.format_exc_info
            if as_json
            else structlog.processors.UnicodeDecoder(),
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(number),
        logger_factory=structlog.PrintLoggerFactory(out),
        cache_logger_on_first_use=False,
    )
    structlog.contextvars.clear_contextvars()
    structlog.contextvars.bind_contextvars(program=program)
    logging.basicConfig(stream=out, level=logging.WARNING, format="%(message)s", force=True)
