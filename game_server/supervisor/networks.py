"""Where Ray may listen: whoever reaches its ports and has the token runs code on the machine.

So a game server that other machines reach starts only with a token that not everybody on the
machine can read, and only at an address that the world does not reach. That these ports
are closed to the rest of a private network is the operator's to see to (docs/operations.md); the
doctor looks from where it runs (paiju/cli/doctor_ray.py).
"""

from __future__ import annotations

import ipaddress
import stat
from pathlib import Path

from game_server.supervisor.settings import GameServerSettings
from paiju.service.settings import BadSettings

ADVICE = (
    "give node_ip (and ray_address) in a closed network of the cell's machines, and keep "
    "ray-token at mode 0600 (0440 where a group mounts it)"
)


def check(settings: GameServerSettings, token: Path) -> None:
    """Raises BadSettings when a cell of several machines would not be closed. token: the file;
    one that is not there yet is made, private."""
    if settings.loopback:
        return
    for name, address in (("node_ip", settings.node_ip), ("ray_address", _host(settings))):
        if address and ipaddress.ip_address(address).is_global:
            raise BadSettings(
                f"{name} {address} can be reached by the whole internet, and Ray's ports run code "
                "for whoever has their token: use an address in a closed network"
            )
    if ipaddress.ip_address(settings.node_ip).is_unspecified:
        raise BadSettings(
            f"node_ip {settings.node_ip} would open Ray's ports in every network: give the "
            "machine's address inside the cell"
        )
    # A group may: that is how a container gets a mounted secret without being its owner.
    if token.is_file() and stat.S_IMODE(token.stat().st_mode) & 0o007:
        raise BadSettings(
            f"ray_token_file {token} can be read by others on this machine, who could then run "
            "code on every machine of the cell: chmod 600 it"
        )


def _host(settings: GameServerSettings) -> str:
    """Of ray_address; empty when there is none or it is a name, which only a resolver knows."""
    host = settings.ray_address.rpartition(":")[0].strip("[]")
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return ""
    return host
