"""One call to the Admin service: where it goes, with which key, what is said when it fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import grpc
import typer
from google.protobuf.message import Message

from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2_grpc

R = TypeVar("R", bound=Message)

DEFAULT_ADDRESS = "127.0.0.1:7411"
_CONNECT_MS = 2_000
_OPTIONS = [
    # How long one attempt to connect may take: an address behind which nobody is says nothing.
    ("grpc.min_reconnect_backoff_ms", _CONNECT_MS),
    ("grpc.initial_reconnect_backoff_ms", _CONNECT_MS),
]


def call_admin(
    call: Callable[[data_pb2_grpc.AdminStub, tuple[tuple[str, str], ...]], R],
    address: str | None,
    key_file: Path | None,
    data_dir: Path,
) -> R:
    """The answer; a sentence and exit 1 when there is none or it is a refusal."""
    where = address or _announced(data_dir) or DEFAULT_ADDRESS
    path = key_file or data_dir / "admin-key"
    try:
        key = path.read_text().strip()
    except OSError as error:
        _fail(f"cannot read the operator key {path}: {error.strerror}; use --key-file")
    with grpc.insecure_channel(where, options=_OPTIONS) as channel:
        try:
            reply = call(data_pb2_grpc.AdminStub(channel), (("authorization", f"Bearer {key}"),))
        except grpc.RpcError as error:
            _fail(_why(error, where, path))
    refusal = getattr(reply, "refusal", None)
    if refusal is not None and refusal.code:
        _fail(str(Refused.of(refusal)))
    return reply


def _announced(data_dir: Path) -> str | None:
    try:
        admin = json.loads((data_dir / "data-server.json").read_text())["admin"]
    except (OSError, ValueError, KeyError):
        return None
    return str(admin)


def _why(error: Any, where: str, key_file: Path) -> str:
    code = error.code()
    if code == grpc.StatusCode.UNAUTHENTICATED:
        return f"the data server at {where} does not take the key in {key_file}"
    if code == grpc.StatusCode.UNAVAILABLE:
        return f"no data server answers at {where}"
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return f"what answers at {where} is not the admin port of a data server of this version"
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"the data server at {where} did not answer in time; the outcome is unknown"
    return f"the data server at {where} answered {code.name}: {error.details()}"


def _fail(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
