"""What the doctor says of a program before it starts: its settings, secrets, ports and network.

Nothing is started, and nothing is asked but the operating system and whether data servers take
a connection.
"""

from __future__ import annotations

import ipaddress
import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

from data_server.settings import DataSettings
from game_server.supervisor import folders, networks
from game_server.supervisor.settings import GameServerSettings
from paiju.cli.config import PROGRAMS, use
from paiju.cli.finding import Finding
from paiju.service.settings import BadSettings, load

WITHIN_S = 2.0


def look(program: str) -> Iterator[Finding]:
    """program: a key of PROGRAMS."""
    try:
        use(None)
        settings = load(PROGRAMS[program])
    except BadSettings as error:
        yield Finding("configuration", False, str(error), "correct what is named")
        return
    yield Finding("configuration", True, f"{len(type(settings).model_fields)} settings")
    if isinstance(settings, GameServerSettings):
        yield from _game_server(settings)
    if isinstance(settings, DataSettings):
        yield from _data_server(settings)


def configurations() -> Iterator[Finding]:
    """Of all programs, as this environment and its file have them."""
    wrong: list[str] = []
    try:
        use(None)
    except BadSettings as error:
        wrong.append(str(error))
    for name, kind in PROGRAMS.items():
        try:
            load(kind)
        except BadSettings as error:
            wrong.append(f"{name}: {error}")
    advice = "correct what is named; `paiju config show` has every setting"
    yield Finding("configuration", not wrong, "; ".join(wrong) or "understood", advice)


def _game_server(settings: GameServerSettings) -> Iterator[Finding]:
    data = settings.data_dir
    head = not settings.ray_address
    needed = [settings.cluster_token_file or data / "cluster-token"]
    token = settings.ray_token_file or data / "ray-token"
    if not head:
        needed += [token, *filter(None, (settings.cell_secret_file, settings.seal_keys_file))]
    yield _secrets(needed)
    try:
        networks.check(settings, token)
        detail = "this machine only" if settings.loopback else f"{settings.node_ip}, with a token"
        yield Finding("Ray", True, detail)
    except BadSettings as error:
        yield Finding("Ray", False, str(error), networks.ADVICE)
    ports = [settings.listen_port + n for n in range(settings.gateways) if settings.listen_port]
    ports += [settings.ws_port + n for n in range(settings.gateways) if settings.ws_port]
    where = [(settings.listen_host, port) for port in ports]
    where += [(settings.metrics_host, settings.metrics_port)] if settings.metrics_port else []
    if head and settings.ray_port:
        where.append((settings.node_ip, settings.ray_port))
    yield _ports(where)
    deaf = [address for address in settings.data_servers if not _answers(address)]
    yield Finding(
        "data servers",
        not deaf,
        f"no connection to {', '.join(deaf)}" if deaf else f"{len(settings.data_servers)} answer",
        "start them, or correct data_servers",
    )
    run = settings.run_dir or folders.default_run_dir(data.absolute())
    fits = len(os.fsencode(run.absolute())) <= folders.LONGEST_RUN_DIR
    yield Finding("run_dir", fits, str(run), "choose a shorter path: Ray's sockets lie below it")


def _data_server(settings: DataSettings) -> Iterator[Finding]:
    folder = settings.folder()
    given = (settings.cluster_token_file, settings.admin_key_file, settings.ticket_key_file)
    made = [folder / name for name in ("cluster-token", "admin-key", "ticket-keys.json")]
    yield _secrets([path for path in given if path is not None], [p for p in made if p.exists()])
    listens = (
        settings.data_listen,
        settings.data_admin_listen,
        settings.data_metrics_listen,
    )
    where = []
    for listen in listens:
        host, _, port = listen.rpartition(":")
        if port.isdigit() and int(port):
            where.append((host.strip("[]"), int(port)))
    yield _ports(where)
    open_to_all = [text for text in listens if not _is_loopback(text)]
    if settings.peer_files() is None:
        yield Finding(
            "TLS",
            not open_to_all,
            f"{', '.join(open_to_all)} without TLS" if open_to_all else "this machine only",
            "set peer_certificate, peer_key and peer_ca (docs/contracts/tls.md)",
        )


def _secrets(needed: list[Path], more: list[Path] | None = None) -> Finding:
    missing = [str(path) for path in needed if not path.is_file()]
    there = [path for path in (*needed, *(more or ())) if path.is_file()]
    loose = [str(path) for path in there if stat.S_IMODE(path.stat().st_mode) & 0o007]
    told = [f"missing: {', '.join(missing)}"] if missing else []
    told += [f"others can read: {', '.join(loose)}"] if loose else []
    advice = "copy what is missing from the head or the data server; chmod 600 the others"
    return Finding("secrets", not told, "; ".join(told) or f"{len(there)} private", advice)


def _ports(where: list[tuple[str, int]]) -> Finding:
    taken = [f"{host}:{port}" for host, port in where if not _is_free(host, port)]
    detail = f"cannot be listened on: {', '.join(taken)}" if taken else f"{len(where)} free"
    return Finding("ports", not taken, detail, "end what listens there, or choose others")


def _is_free(host: str, port: int) -> bool:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            probe.bind((host, port))
    except OSError:
        return False
    return True


def _answers(address: str) -> bool:
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), WITHIN_S):
            return True
    except OSError:
        return False


def _is_loopback(listen: str) -> bool:
    host = listen.rpartition(":")[0].strip("[]")
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
