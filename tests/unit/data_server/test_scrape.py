"""What Kubernetes, systemd's people and Prometheus ask a data server over HTTP."""

from __future__ import annotations

import asyncio

import pytest
from prometheus_client import CollectorRegistry, Gauge

from data_server.scrape import Scrape


async def ask(port: int, line: str) -> str:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{line} HTTP/1.1\r\nHost: x\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    return answer.decode()


@pytest.mark.parametrize("serving", [True, False])
async def test_ready_while_it_serves_and_alive_all_the_time(serving: bool) -> None:
    registry = CollectorRegistry()
    Gauge("paiju_data_probe", "For this test.", registry=registry).set(7)
    scrape = Scrape(registry, serving=lambda: serving)
    port = await scrape.start("127.0.0.1", 0)
    try:
        health = await ask(port, "GET /health")
        assert health.startswith("HTTP/1.1 200 OK" if serving else "HTTP/1.1 503 ")
        assert "paiju_data_probe" not in health
        assert (await ask(port, "GET /live")).startswith("HTTP/1.1 200 OK")
        assert "paiju_data_probe 7.0" in await ask(port, "GET /metrics")
        assert (await ask(port, "HEAD /health")).count("\r\n\r\n") == 1
        assert (await ask(port, "POST /health")).startswith("HTTP/1.1 405 ")
    finally:
        await scrape.stop()
