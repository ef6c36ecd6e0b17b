"""What logs never hold: secrets by the names of their fields, and values of a failed call."""

from __future__ import annotations

import io
import json
import secrets
from collections.abc import Iterator

import pytest
import structlog

from paiju.service import logs


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()
    structlog.contextvars.clear_contextvars()


def fails_with(secret: str) -> None:
    password, call = secret, {"ticket": [secret]}
    raise ValueError(f"{len(password)} {len(call)}")


@pytest.mark.parametrize("out", [Terminal(), io.StringIO()], ids=["terminal", "json"])
def test_a_traceback_tells_where_and_not_with_what(out: io.StringIO) -> None:
    """On a terminal, too: there a traceback may be drawn with the values of all variables."""
    logs.configure("program", stream=out)
    secret = secrets.token_hex(16)
    try:
        fails_with(secret)
    except ValueError:
        structlog.get_logger().exception("call.failed")
    said = out.getvalue()
    assert "fails_with" in said and "ValueError" in said
    assert secret not in said


def test_fields_that_are_called_after_secrets_are_blank() -> None:
    out = io.StringIO()
    logs.configure("program", stream=out)
    names = ("password", "device_secret", "ticket", "cluster_token", "refresh", "ticket_key")
    structlog.get_logger().info("session.opened", player=7, **dict.fromkeys(names, "it"))
    said = json.loads(out.getvalue())
    assert said["player"] == 7 and {said[name] for name in names} == {"[redacted]"}
