"""Machines as network namespaces: each with an address of its own on one bridge.

They share this machine's disk and processes, not its network: what listens on 127.0.0.1 of
one is not there for the others. Needs root and the right to make namespaces.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent.parent
START_WITHIN_S = 90.0


def allowed() -> bool:
    """Whether this process may make network namespaces."""
    if os.geteuid() != 0 or shutil.which("ip") is None:
        return False
    probe = f"paiju-probe-{os.getpid()}"
    made = subprocess.run(["ip", "netns", "add", probe], capture_output=True)
    subprocess.run(["ip", "netns", "del", probe], capture_output=True)
    return made.returncode == 0


def _ip(*arguments: str) -> None:
    done = subprocess.run(["ip", *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"ip {' '.join(arguments)}: {done.stderr}"


class Network:
    """`with`: a bridge; this process is on it as `address`. Machines get 10.213.X.2 and on."""

    def __init__(self) -> None:
        self._mark = f"{os.getpid() % 46_656:05d}"
        self._bridge = f"pjb{self._mark}"
        self._prefix = f"10.213.{os.getpid() % 250}"
        self.address = f"{self._prefix}.1"
        self.machines: dict[str, Machine] = {}

    def __enter__(self) -> Network:
        _ip("link", "add", self._bridge, "type", "bridge")
        _ip("address", "add", f"{self.address}/24", "dev", self._bridge)
        _ip("link", "set", self._bridge, "up")
        return self

    def __exit__(self, *error: object) -> None:
        for machine in reversed(list(self.machines.values())):
            machine.end()
        for machine in self.machines.values():
            _ip("netns", "del", machine.namespace)
        _ip("link", "del", self._bridge)

    def machine(self, name: str, folder: Path) -> Machine:
        """A new machine on the bridge, with an empty disk."""
        number = len(self.machines) + 2
        machine = Machine(
            name=name,
            namespace=f"pj{self._mark}{number}",
            address=f"{self._prefix}.{number}",
            folder=folder / name,
        )
        _ip("netns", "add", machine.namespace)
        self.machines[name] = machine
        inside, outside = f"pjv{self._mark}{number}", machine.wire
        _ip("link", "add", outside, "type", "veth", "peer", "name", inside)
        _ip("link", "set", inside, "netns", machine.namespace)
        _ip("link", "set", outside, "master", self._bridge, "up")
        for command in (
            ("link", "set", "lo", "up"),
            ("link", "set", inside, "name", "eth0"),
            ("address", "add", f"{machine.address}/24", "dev", "eth0"),
            ("link", "set", "eth0", "up"),
        ):
            _ip("-n", machine.namespace, *command)
        return machine


class Machine:
    """Runs `paiju` commands; `cut` and `mend` pull and plug its network cable."""

    def __init__(self, *, name: str, namespace: str, address: str, folder: Path) -> None:
        self.name = name
        self.namespace = namespace
        self.address = address
        self.folder = folder
        self.wire = f"pjw{namespace[2:]}"
        self.settings: dict[str, str] = {}
        """Environment of its commands."""
        self._running: list[tuple[subprocess.Popen[bytes], Path]] = []
        folder.mkdir(parents=True)

    def start(
        self, *arguments: str, state: str, environment: Mapping[str, str] | None = None
    ) -> dict[str, Any]:
        """A program of ours, until its state file is there; the file."""
        log = self.folder / f"{arguments[0]}.log"
        with log.open("ab") as output:
            process = subprocess.Popen(
                self._command(*arguments),
                cwd=self.folder,
                env={**self._environment(), **(environment or {})},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
            )
        self._running.append((process, log))
        file = self.folder / state
        until = time.monotonic() + START_WITHIN_S
        while not file.exists():
            said = log.read_text(errors="replace")[-3000:]
            assert process.poll() is None, f"{self.name}: {arguments[0]} ended:\n{said}"
            assert time.monotonic() < until, f"{self.name}: no {state}:\n{said}"
            time.sleep(0.05)
        found: dict[str, Any] = json.loads(file.read_text())
        return found

    def run(self, *arguments: str) -> str:
        """A command that must end 0; its output."""
        done = subprocess.run(
            self._command(*arguments),
            cwd=self.folder,
            env={**self._environment(), **self.settings},
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def filter(self, rules: str) -> None:
        """Load these rules of nftables."""
        done = subprocess.run(
            ["ip", "netns", "exec", self.namespace, "nft", "-f", "-"],
            input=rules,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stderr

    def reaches(self, address: str, port: int, *, within_s: float = 2.0) -> bool:
        """Whether a TCP connection from here comes about."""
        knock = (
            f"import socket; socket.create_connection(({address!r}, {port}), {within_s}).close()"
        )
        done = subprocess.run(
            ["ip", "netns", "exec", self.namespace, sys.executable, "-c", knock],
            capture_output=True,
        )
        return done.returncode == 0

    def cut(self) -> None:
        _ip("link", "set", self.wire, "down")

    def mend(self) -> None:
        _ip("link", "set", self.wire, "up")

    def end(self) -> None:
        """SIGTERM to its programs, the newest first."""
        for process, log in reversed(self._running):
            if process.poll() is None:
                process.send_signal(signal.SIGTERM)
            try:
                process.wait(90)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                raise AssertionError(f"did not end:\n{log.read_text()[-3000:]}") from None
        self._running = []

    def _command(self, *arguments: str) -> list[str]:
        inside = ["ip", "netns", "exec", self.namespace]
        return [*inside, sys.executable, "-m", "paiju.cli.main", *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(ROOT)}
