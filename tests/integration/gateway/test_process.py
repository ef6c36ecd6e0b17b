"""The process: ready line, play, samples to the supervisor, drain on SIGTERM."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import grpc

from paiju.wire import frames
from paiju.wire.sealed import ClientChannel
from paiju.wire.server_keys import ServerKeys
from paiju.wire.v1 import hall_pb2

from .conftest import ROOM, until
from .fake_data import TOKEN, FakeData
from .fake_host import SECRET, FakeHost
from .test_grpc_edge import GrpcClient


async def test_a_gateway_process_from_start_to_drained_end(tmp_path: Path) -> None:
    data, host = FakeData(), FakeHost("host-0", tmp_path)
    address = await data.start()
    await host.start()
    data.add_host(host.info(), (ROOM, 0))
    samples: asyncio.Queue[bytes] = asyncio.Queue()

    async def supervisor(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while True:
            samples.put_nowait(await frames.read_frame(reader))

    metrics = await asyncio.start_unix_server(supervisor, tmp_path / "m.sock")
    (tmp_path / "secret").write_bytes(SECRET)
    keys = ServerKeys.load_or_create(tmp_path / "seal-keys.json")
    (tmp_path / "token").write_text(TOKEN + "\n")
    config = {
        "name": "gateway-0", "server": "gs", "cell": "cell",
        "cell_secret": str(tmp_path / "secret"),
        "seal_keys": str(tmp_path / "seal-keys.json"),
        "machine": "m1", "listen": "127.0.0.1:0", "data_servers": [address],
        "cluster_token": str(tmp_path / "token"), "metrics_socket": str(tmp_path / "m.sock"),
        "drain_s": 5.0, "parent_pid": os.getpid(),
    }  # fmt: skip
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "game_server.gateway", "--config-json", json.dumps(config),
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    ready = {}
    async with asyncio.timeout(20):
        while ready.get("event") != "gateway.ready":
            ready = json.loads(await process.stderr.readline())
    channel = grpc.aio.insecure_channel(ready["address"])
    client = GrpcClient(channel, sealed=ClientChannel(server_key=keys.public[0]))
    reading = asyncio.create_task(client.read())
    await client.guest()
    sample = await asyncio.wait_for(samples.get(), 10)
    assert sample.startswith(b"# process gateway-0\n")
    assert b"paiju_gateway_sessions" in sample
    process.send_signal(signal.SIGTERM)
    await until(lambda: client.notices() == ["DRAINING"])
    assert (await client.ask(ping=hall_pb2.Ping(nonce=1))).pong.nonce == 1
    client.call.cancel()
    assert await asyncio.wait_for(process.wait(), 10) == 0
    await until(lambda: data.presence.get(101) is False)
    await asyncio.gather(reading, return_exceptions=True)
    await channel.close()
    metrics.close()
    await host.stop()
    await data.stop()
