"""One call to the Admin service: where it goes, with which key, what is said when it fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import grpc
import typer
from google.protobuf.message import Message

from paiju.cli.doctor_tls import probe
from paiju.service.peers import PeerSettings
from paiju.service.refusals import Refused
from paiju.service.settings import load
from paiju.wire.tls.files import read
from paiju.wire.tls.sockets import grpc_client
from paiju.wire.v1 import data_pb2_grpc

R = TypeVar("R", bound=Message)
S = TypeVar("S")
Keys = tuple[tuple[str, str], ...]
"""Metadata of a call."""
Call = Callable[[data_pb2_grpc.AdminStub, Keys], R]

DEFAULT_ADDRESS = "127.0.0.1:7411"
_CONNECT_MS = 2_000
_OPTIONS = [
    # How long one attempt to connect may take: an address behind which nobody is says nothing.
    ("grpc.min_reconnect_backoff_ms", _CONNECT_MS),
    ("grpc.initial_reconnect_backoff_ms", _CONNECT_MS),
]


class AdminFailed(Exception):
    """No answer, or a refusal: a sentence for people."""


@dataclass(frozen=True)
class Asking:
    """One data server's admin port, for several calls."""

    where: str
    key: str
    key_file: Path

    @classmethod
    def of(cls, address: str | None, key_file: Path | None, data_dir: Path) -> Asking:
        """From the options. Says why and exits 1 when there is no key."""
        path = key_file or data_dir / "admin-key"
        try:
            key = path.read_text().strip()
        except OSError as error:
            _fail(f"cannot read the operator key {path}: {error.strerror}; use --key-file")
        return cls(address or _announced(data_dir) or DEFAULT_ADDRESS, key, path)

    def at(self, where: str) -> Asking:
        """Another data server of the same hall."""
        return replace(self, where=where)

    def ask(self, call: Call[R]) -> R:
        """The answer. Raises AdminFailed."""
        return self.ask_service(data_pb2_grpc.AdminStub, call)

    def ask_service(self, stub: Callable[[grpc.Channel], S], call: Callable[[S, Keys], R]) -> R:
        """As `ask`, for any service of the admin port."""
        with _channel(self.where) as channel:
            try:
                reply = call(stub(channel), (("authorization", f"Bearer {self.key}"),))
            except grpc.RpcError as error:
                raise AdminFailed(_why(error, self.where, self.key_file)) from None
        refusal = getattr(reply, "refusal", None)
        if refusal is not None and refusal.code:
            raise AdminFailed(str(Refused.of(refusal)))
        return reply


def call_admin(call: Call[R], address: str | None, key_file: Path | None, data_dir: Path) -> R:
    """The answer; a sentence and exit 1 when there is none or it is a refusal."""
    return call_service(data_pb2_grpc.AdminStub, call, address, key_file, data_dir)


def call_service(
    stub: Callable[[grpc.Channel], S],
    call: Callable[[S, Keys], R],
    address: str | None,
    key_file: Path | None,
    data_dir: Path,
) -> R:
    """As `call_admin`, for another service of the admin port."""
    try:
        return Asking.of(address, key_file, data_dir).ask_service(stub, call)
    except AdminFailed as failed:
        _fail(str(failed))


def _channel(where: str) -> grpc.Channel:
    """By mutual TLS when the environment has the files (PAIJU_PEER_...)."""
    try:
        files = load(PeerSettings).peer_files()
        if files is None:
            return grpc.insecure_channel(where, options=_OPTIONS)
        return grpc.secure_channel(where, grpc_client(read(files)), options=_OPTIONS)
    except ValueError as error:
        _fail(str(error))


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
    if code == grpc.StatusCode.PERMISSION_DENIED:
        return f"the data server at {where} does not take the certificate: {error.details()}"
    if code == grpc.StatusCode.UNAVAILABLE:
        return _unanswered(where)
    if code == grpc.StatusCode.UNIMPLEMENTED:
        return f"what answers at {where} is not the admin port of a data server of this version"
    if code == grpc.StatusCode.DEADLINE_EXCEEDED:
        return f"the data server at {where} did not answer in time; the outcome is unknown"
    return f"the data server at {where} answered {code.name}: {error.details()}"


def _unanswered(where: str) -> str:
    files = load(PeerSettings).peer_files()
    if files is not None:
        return f"no data server answers at {where} to whoever shows {files.certificate}"
    if probe(where).ends is not None:
        files_of = "PAIJU_PEER_CERTIFICATE, PAIJU_PEER_KEY and PAIJU_PEER_CA"
        return f"the data server at {where} wants a certificate: set {files_of}"
    return f"no data server answers at {where}"


def _fail(sentence: str) -> NoReturn:
    typer.echo(sentence, err=True)
    raise typer.Exit(1)
