"""What a load run is aimed at, and whether it may be and can be done from here.

Each `check_...` raises NotHere with a sentence that says what to do.
"""

from __future__ import annotations

import errno
import json
import os
import resource
import shutil
import socket
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hall_client.terminal import places
from hall_client.tls import Tls

SPARE_FILES = 200
SPARE_BYTES = 200 * 1024 * 1024


class NotHere(Exception):
    """Its text is the sentence for the person."""


@dataclass(frozen=True, kw_only=True)
class Target:
    """gateways: of the edge that was chosen. processes: name -> pid of the hall's programs,
    empty for a hall of another machine. folder: its data folder, if it is of this machine. tls: how
    certificates of gateways by TLS are checked."""

    gateways: tuple[str, ...]
    server_keys: tuple[bytes, ...]
    processes: dict[str, int] = field(default_factory=dict)
    folder: Path | None = None
    tls: Tls = field(default_factory=Tls)


def local(folder: Path, *, edge: str) -> Target:
    """The hall that runs on this machine. edge: "grpc" or "ws"."""
    hall = places.running_hall(folder)
    if hall is None:
        raise NotHere(
            f"No hall runs in {folder}. Start one with `paiju up`, or name the gateways of another "
            "with --address and --server-key."
        )
    web = tuple(str(one) for one in _state(folder / places.STATE_FILE).get("web_gateways", ()))
    plain = tuple(one for one in web if one.startswith("ws://")) or web
    return Target(
        gateways=plain if edge == "ws" else hall.gateways,
        server_keys=hall.server_keys,
        processes=processes_of(folder),
        folder=folder,
        tls=hall.tls,
    )


def processes_of(folder: Path) -> dict[str, int]:
    """Names and pids of a running hall's programs."""
    game = _state(folder / "game-server.json")
    found = {"supervisor": int(game.get("pid", 0)), **game.get("processes", {})}
    found["data-server"] = int(_state(folder / "data-server.json").get("pid", 0))
    return {name: int(pid) for name, pid in found.items() if pid}


def _state(path: Path) -> dict[str, Any]:
    try:
        state: dict[str, Any] = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return state


def check_owner(addresses: Iterable[str], *, mine: bool) -> None:
    """Load goes to this machine, unless somebody says that the other one is his."""
    for address in addresses:
        if not mine and not is_loopback(address):
            raise NotHere(
                f"{address} is not on this machine. Load takes a hall's resources from its "
                "players: if it is yours to load, say so with --i-own-this-target."
            )


def is_loopback(address: str) -> bool:
    """Whether every address behind that name is of this machine; False when there is none."""
    host = urlsplit(address if "://" in address else f"grpc://{address}").hostname or ""
    try:
        found = {info[4][0] for info in socket.getaddrinfo(host, None)}
    except OSError:
        return False
    return bool(found) and all(ip_address(str(one).partition("%")[0]).is_loopback for one in found)


def check_answers(addresses: Sequence[str], *, within_s: float = 2.0) -> None:
    """Somebody listens at each of them."""
    for address in addresses:
        parts = urlsplit(address if "://" in address else f"grpc://{address}")
        port = parts.port or (443 if parts.scheme == "wss" else 80)
        try:
            socket.create_connection((parts.hostname or "", port), timeout=within_s).close()
        except OSError as error:
            raise NotHere(
                f"Nobody answers at {address} ({_reason(error)}). Is the hall running? "
                "`paiju up` starts one here."
            ) from None


def check_files(connections: int, *, each: str, processes: Iterable[int] = ()) -> None:
    """File descriptors for that many connections in a process of ours (its limit is raised as
    far as the system lets us), and in those that take them."""
    needed = connections + SPARE_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if hard != resource.RLIM_INFINITY and hard < needed:
        raise NotHere(
            f"{needed} file descriptors are needed in {each}, and this system allows {hard}: "
            f"raise the limit (`ulimit -Hn {needed}` as root), or spread the load over more "
            "processes with --processes."
        )
    if soft != resource.RLIM_INFINITY and soft < needed:
        resource.setrlimit(resource.RLIMIT_NOFILE, (needed, hard))
    for pid in processes:
        allowed = _open_files(pid)
        if allowed is not None and allowed < needed:
            raise NotHere(
                f"Process {pid} of the hall may open {allowed} files, and {needed} are needed: "
                f"`ulimit -n {needed}` in the shell, then `paiju up` again."
            )


def _open_files(pid: int) -> int | None:
    try:
        limit = resource.prlimit(pid, resource.RLIMIT_NOFILE)[0]
    except (OSError, ValueError):
        return None
    return None if limit == resource.RLIM_INFINITY else limit


def check_space(*folders: Path) -> None:
    """Journal, ledger and reports need room on the disk."""
    for folder in folders:
        try:
            free = shutil.disk_usage(folder).free
        except OSError as error:
            raise NotHere(f"{folder}: {_reason(error)}") from None
        if free < SPARE_BYTES:
            raise NotHere(
                f"The disk of {folder} has {free // 2**20} MiB left, and a run writes up to "
                f"{SPARE_BYTES // 2**20}: make room, or start the hall elsewhere with --data-dir."
            )


def write_report(path: Path, text: str) -> None:
    """The whole file. NotHere names the file and what to do."""
    try:
        path.write_text(text, "utf-8")
    except OSError as error:
        what = "make room and run again" if error.errno == errno.ENOSPC else "name another file"
        raise NotHere(f"{path} cannot be written ({_reason(error)}): {what}.") from None


def _reason(error: OSError) -> str:
    return (error.strerror or os.strerror(error.errno or 0) or str(error)).lower()
