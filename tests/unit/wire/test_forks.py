"""A process of the hall may start children while gRPC is at work, and nothing comes of it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PACKAGES = ("data_server", "game_server", "hall_client", "paiju")

# Calls over TCP in one thread, real forks (`preexec_fn` forbids vfork) in another.
_FORKS_UNDER_CALLS = """
import asyncio, subprocess, {package}
import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

async def main():
    server = grpc.aio.server()
    health_pb2_grpc.add_HealthServicer_to_server(health.aio.HealthServicer(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    over = False

    async def ask():
        async with grpc.aio.insecure_channel(f"127.0.0.1:{{port}}") as channel:
            stub = health_pb2_grpc.HealthStub(channel)
            while not over:
                await stub.Check(health_pb2.HealthCheckRequest())

    asking = [asyncio.create_task(ask()) for _ in range(3)]

    def fork():
        for _ in range(15):
            subprocess.run(["true"], preexec_fn=lambda: None, check=True)

    await asyncio.to_thread(fork)
    over = True
    await asyncio.gather(*asking)
    await server.stop(None)

asyncio.run(main())
"""


@pytest.mark.parametrize("package", PACKAGES)
def test_grpc_does_nothing_around_a_fork(package: str) -> None:
    """At its level INFO gRPC says when its handlers run, and that they do so by default."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "GRPC_VERBOSITY": "info"}
    del environment["GRPC_ENABLE_FORK_SUPPORT"]
    said = _run(_FORKS_UNDER_CALLS.format(package=package), environment)
    assert "fork" not in said, said


def test_grpc_would_by_default() -> None:
    """Else the test above proves nothing: a new gRPC may have ceased to. Its children die of it."""
    environment = {**os.environ, "GRPC_VERBOSITY": "info"}
    del environment["GRPC_ENABLE_FORK_SUPPORT"]
    assert "fork" in _run(_FORKS_UNDER_CALLS.format(package="json"), environment, harmed=True)


def _run(program: str, environment: dict[str, str], *, harmed: bool = False) -> str:
    done = subprocess.run(
        [sys.executable, "-c", program],
        env=environment,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert harmed or done.returncode == 0, done.stderr
    return done.stdout + done.stderr
