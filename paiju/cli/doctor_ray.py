"""What the doctor says of Ray's ports: a cell of several machines has a token, and its ports
answer to the cell's machines only. It looks from where it runs and believes what it sees.
"""

from __future__ import annotations

import socket
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
import psutil

from paiju.cli.finding import Finding
from paiju.wire.v1 import data_pb2

WITHIN_S = 2.0
CLOSE = (
    "close it by a firewall or NetworkPolicy: only the machines of the cell may reach Ray's ports "
    "(docs/operations.md)"
)
# Any call will do: what matters is whether it is refused for want of a token.
_METHOD = "/ray.rpc.NodeInfoGcsService/GetAllNodeInfo"

Probe = Callable[[str], str]


def judge(nodes: Iterable[data_pb2.NodeInfo], *, probe: Probe | None = None) -> Iterator[Finding]:
    """probe: address -> "closed", "token" (asks for one) or "open" (does not)."""
    look, own = probe or ask, _own_addresses()
    cells: defaultdict[str, list[data_pb2.NodeInfo]] = defaultdict(list)
    for node in nodes:
        if node.alive and node.HasField("facts") and not _loopback(node.facts.node_ip):
            cells[node.cell].append(node)
    without = [n.server for cell in cells.values() for n in cell if not n.facts.ray_token]
    detail = f"{', '.join(without)} without" if without else f"{len(cells)} cells of machines"
    yield Finding(
        "Ray's token", not without, detail, "start them by `paiju game-server`, which sets it"
    )
    heads = {n.facts.ray_address: cell for cell in cells.values() for n in cell}
    heads.pop("", None)
    with ThreadPoolExecutor(8) as pool:
        seen = dict(zip(heads, pool.map(look, heads), strict=True))
    wrong = []
    for address, answer in seen.items():
        inside = any(node.facts.node_ip in own for node in heads[address])
        if answer == "open":
            wrong.append(f"{address} runs code for anybody")
        elif answer == "token" and not inside:
            wrong.append(f"{address} can be reached from here")
    detail = "; ".join(wrong) or f"{len(seen)} heads of cells closed or inside"
    yield Finding("Ray's ports", not wrong, detail, CLOSE)


def ask(address: str) -> str:
    """Without a token."""
    host, _, port = address.rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), WITHIN_S):
            pass
    except (OSError, ValueError):
        return "closed"
    with grpc.insecure_channel(address) as channel:
        call: Any = channel.unary_unary(_METHOD)
        try:
            call(b"", timeout=WITHIN_S)
        except grpc.RpcError as error:
            # Whatever it says, it did not do it; only a wrong method would not be refused.
            return "open" if error.code() == grpc.StatusCode.UNIMPLEMENTED else "token"
    return "open"


def _own_addresses() -> set[str]:
    return {one.address for many in psutil.net_if_addrs().values() for one in many}


def _loopback(address: str) -> bool:
    return address.startswith("127.") or address in ("", "::1")
