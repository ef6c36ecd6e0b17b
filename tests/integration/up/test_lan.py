"""`paiju up --lan`: others of the network come in by TLS only, this machine as ever."""

from __future__ import annotations

import asyncio
import json
import socket
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from hall_client import ConnectionFailed, HallClient, Tls
from hall_client.terminal import places
from paiju.cli.local import LocalHall, lan_address
from tests.acceptance.command import run


@pytest.mark.soak  # 12 s; CI has test_where_players_come_in, and TLS at the edges
async def test_nothing_without_tls_is_reached_from_outside(tmp_path: Path) -> None:
    async with LocalHall(
        data_dir=tmp_path / "hall", web_port=0, lan=True, settings={"spares": "0"}
    ) as hall:
        told = places.running_hall(hall.folder)
        assert told is not None and hall.certificate is not None
        assert all(address.startswith("grpcs://") for address in told.gateways)
        for address in (told.gateways[0], *hall.web_gateways):
            async with HallClient(address, server_keys=told.server_keys, tls=told.tls) as client:
                await client.guest(address.encode().ljust(32)[:32])
        # Who says nothing of TLS is not spoken to, nor who believes another authority.
        plain = told.gateways[0].removeprefix("grpcs://")
        for address, tls in ((plain, told.tls), (told.gateways[0], Tls())):
            stranger = HallClient(
                address, server_keys=told.server_keys, tls=tls, connect_timeout_s=1.0
            )
            with pytest.raises(ConnectionFailed):
                await stranger.connect()

        schemes = {urlsplit(address).scheme for address in hall.web_gateways}
        assert schemes == {"ws", "wss"}, "a page on the loopback has no certificate"
        outside = lan_address()
        if outside:  # a machine without a network has nothing to show
            for address in hall.web_gateways:
                parts = urlsplit(address)
                reached = _listens(outside, parts.port or 0)
                assert reached == (parts.scheme == "wss"), address
            assert _listens(outside, int(plain.rpartition(":")[2]))

        arguments = ("play", "--data-dir", str(hall.folder), "--lang", "en", "--think", "0")
        played = await asyncio.to_thread(run, *arguments, timeout_s=90)
        assert played.returncode == 0, played.stderr
        assert json.loads((hall.folder / "hall.json").read_text())["ca"] == str(hall.certificate)


def _listens(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=2).close()
    except OSError:
        return False
    return True
