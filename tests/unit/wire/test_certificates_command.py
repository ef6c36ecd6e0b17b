"""`paiju admin certificates`, and what the doctor says about listeners and dates."""

from __future__ import annotations

import contextlib
import json
import socket
import ssl
import threading
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from typer.testing import CliRunner

from paiju.cli import doctor_tls
from paiju.cli.admin import app
from paiju.cli.doctor_tls import Listener
from paiju.wire.tls.authority import Authority
from paiju.wire.tls.files import TlsFiles, read
from paiju.wire.tls.sockets import server_context
from paiju.wire.v1 import data_pb2

NOW = datetime.now(UTC)


def admin(*arguments: str) -> str:
    result = CliRunner().invoke(app, arguments)
    assert result.exit_code == 0, result.output
    return result.output


def test_an_authority_and_its_certificates_by_command(tmp_path: Path) -> None:
    folder, out = str(tmp_path / "a"), str(tmp_path / "b")
    admin("certificates", "init", "--cell", "cell-1", "--dir", folder)
    issue = ["certificates", "issue", "--role", "game-server", "--name", "gs-1", "--dir", folder]
    admin(*issue, "--address", "10.0.0.2", "--address", "gs-1.example", "--out", out)
    made = TlsFiles(
        certificate=tmp_path / "b/gs-1.pem",
        key=tmp_path / "b/gs-1-key.pem",
        ca=tmp_path / "a/ca.pem",
    )
    first = read(made).leaf
    admin(*issue, "--out", out)  # a rotation
    assert read(made).leaf != first
    shown = tmp_path / "shown.json"
    admin("certificates", "show", "--json", str(shown), str(made.certificate))
    (row,) = json.loads(shown.read_text())["certificates"]
    assert row["for"] == "urn:paiju:cell-1:game-server:gs-1" and row["days"] in (89, 90)


def test_mistakes_are_one_sentence(tmp_path: Path) -> None:
    def fails(*arguments: str) -> str:
        result = CliRunner().invoke(app, ["certificates", *arguments])
        assert result.exit_code == 1 and "Traceback" not in result.output
        return " ".join(result.output.split())

    here = ["--dir", str(tmp_path)]
    assert "certificates init" in fails("issue", "--role", "operator", "--name", "ann", *here)
    admin("certificates", "init", *here)
    assert "another folder" in fails("init", *here)
    assert "no role" in fails("issue", "--role", "king", "--name", "ann", *here)
    (tmp_path / "x.pem").write_text("no")
    assert "no certificate" in fails("show", str(tmp_path / "x.pem"))


# ---- doctor --------------------------------------------------------------------------------


@contextlib.contextmanager
def listening(context: ssl.SSLContext | None) -> Iterator[str]:
    """A server that answers one connection after the other, until it is closed."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            with contextlib.suppress(OSError), connection:
                if context is None:
                    connection.sendall(b"a challenge")
                else:
                    context.wrap_socket(connection, server_side=True).close()

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    yield f"127.0.0.1:{server.getsockname()[1]}"
    server.shutdown(socket.SHUT_RDWR)
    server.close()
    thread.join(5)


def test_a_listener_is_asked_what_it_speaks(tmp_path: Path) -> None:
    made, key = Authority.make(tmp_path, cell="c").issue(tmp_path, role="data-server", name="d")
    files = TlsFiles(certificate=made, key=key)
    with listening(None) as plain, listening(server_context(files, mutual=False)) as secure:
        found = doctor_tls.ask([plain, secure, "127.0.0.1:1", "no address"])
    assert found == [
        Listener(plain, reached=True),
        Listener(secure, reached=True, ends=read(files).leaf.not_valid_after_utc),
        Listener("127.0.0.1:1", reached=False),
        Listener("no address", reached=False),
    ]


def test_what_is_open_and_what_runs_out_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PAIJU_PEER_CERTIFICATE", raising=False)
    listeners = [
        Listener("10.0.0.1:1", reached=True),
        Listener("10.0.0.2:1", reached=True, ends=NOW + timedelta(days=3)),
        Listener("10.0.0.3:1", reached=True, ends=NOW + timedelta(days=80)),
        Listener("10.0.0.4:1", reached=False),
    ]
    first, second = doctor_tls.judge(listeners, now=NOW)
    assert first == ("listeners without TLS", False, ["10.0.0.1:1"], "3 others reach")
    assert second[1] is False and second[2] == [f"10.0.0.2:1 {NOW + timedelta(days=3):%Y-%m-%d}"]
    assert all(ok for _, ok, _, _ in doctor_tls.judge(listeners[2:], now=NOW))


def test_own_files_are_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    authority = Authority.make(tmp_path, cell="c")
    made, key = authority.issue(tmp_path, role="operator", name="ann", days=5)
    for name, path in (("CERTIFICATE", made), ("KEY", key), ("CA", tmp_path / "ca.pem")):
        monkeypatch.setenv(f"PAIJU_PEER_{name}", str(path))
    _, (_, ok, soon, _) = doctor_tls.judge([])
    assert not ok and len(soon) == 1 and soon[0].startswith(str(made))
    made.unlink()
    _, (_, ok, soon, _) = doctor_tls.judge([])
    assert not ok and "cannot be read" in soon[0]


def test_loopback_is_nobody_elses(tmp_path: Path) -> None:
    nodes = data_pb2.NodesReply(
        nodes=[
            data_pb2.NodeInfo(address="127.0.0.1:1", alive=True),
            data_pb2.NodeInfo(address="grpcs://10.0.0.2:7700", alive=True),
            data_pb2.NodeInfo(address="10.0.0.9:7700", alive=False),
        ],
        hosts=[data_pb2.HostInfo(tcp_address="[::1]:5", alive=True), data_pb2.HostInfo(alive=True)],
    )
    (tmp_path / "data-server.json").write_text('{"address": "10.0.0.1:7410", "admin": "[::1]:2"}')
    assert doctor_tls.addresses(nodes, tmp_path) == ["10.0.0.1:7410", "10.0.0.2:7700"]
