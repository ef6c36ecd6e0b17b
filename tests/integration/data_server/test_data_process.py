"""The program itself: started, found through its folder, scraped, drained by SIGTERM."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import urllib.request
from pathlib import Path

import grpc
from data_hall import bearer, eventually
from grpc_health.v1 import health_pb2, health_pb2_grpc

from paiju.wire.v1 import data_pb2, data_pb2_grpc


async def test_from_start_to_sigterm(tmp_path: Path) -> None:
    folder = tmp_path / "hall"
    environment = {
        **os.environ,
        "PAIJU_DATA_DIR": str(folder),
        "PAIJU_DATA_LISTEN": "127.0.0.1:0",
        "PAIJU_DATA_ADMIN_LISTEN": "127.0.0.1:0",
        "PAIJU_DATA_METRICS_LISTEN": "127.0.0.1:0",
    }
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "data_server",
        env=environment,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr is not None
    try:
        ready = json.loads(await asyncio.wait_for(process.stderr.readline(), 30))
        assert ready["event"] == "data_server.ready"
        found = json.loads((folder / "data-server.json").read_text())
        assert found["pid"] == process.pid and found["address"] == ready["address"]

        async with grpc.aio.insecure_channel(found["address"]) as channel:
            health = health_pb2_grpc.HealthStub(channel)
            watch = health.Watch(health_pb2.HealthCheckRequest())
            assert (await watch.read()).status == health_pb2.HealthCheckResponse.SERVING
            token = (folder / "cluster-token").read_text().strip()
            ids = await data_pb2_grpc.ClusterStub(channel).AllocateIds(
                data_pb2.AllocateIdsRequest(count=3), metadata=bearer(token)
            )
            assert ids.count == 3

            def scrape() -> str:
                with urllib.request.urlopen(f"http://{found['metrics']}/metrics") as answer:
                    text: str = answer.read().decode()
                    return text

            async def checked() -> bool:
                metrics = await asyncio.to_thread(scrape)
                assert 'paiju_data_rpc_requests_total{method="AllocateIds"} 1.0' in metrics
                assert 'paiju_data_rpc_requests_total{method="Settle"} 0.0' in metrics
                return "paiju_data_ledger_checked_timestamp_seconds 0.0" not in metrics

            await eventually(checked)
            process.send_signal(signal.SIGTERM)
            statuses = {(await watch.read()).status}
            assert statuses == {health_pb2.HealthCheckResponse.NOT_SERVING}
        assert await asyncio.wait_for(process.wait(), 15) == 0
        assert not (folder / "data-server.json").exists()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_wrong_settings_end_with_one_sentence(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "data_server",
        env={**os.environ, "PAIJU_TIMEZONE": "Mars", "PAIJU_DATA_DIR": str(tmp_path)},
        stderr=asyncio.subprocess.PIPE,
    )
    _, err = await asyncio.wait_for(process.communicate(), 30)
    assert process.returncode == 1
    assert err.decode().startswith("data server: wrong settings: timezone:")
    assert err.count(b"\n") == 1
