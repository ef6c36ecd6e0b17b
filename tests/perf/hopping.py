"""The hop between gateway and host, both ends in one process over a real Unix socket.

What came in and went out of a host (`hosting.Round`) is sent once more; the other side of each
end is nobody, so the CPU is that of encoding, framing, system calls and parsing.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping
from pathlib import Path

from game_server.gateway.links import Links
from game_server.gateway.metrics import Metrics
from game_server.gateway.stream import LinkConfig, Sent
from game_server.tables.links import Link, LinkServer
from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2, host_pb2
from tests.perf.hosting import Round

SECRET = bytes(range(32))


class Waiter:
    def host_answered(self, ref: int, answer: host_pb2.HostAnswer) -> None: ...

    def host_failed(self, ref: int, refused: Refused) -> None:
        raise refused


def _renumbered(event: bytes, numbers: Mapping[int, int]) -> bytes:
    told = host_pb2.HostEvent.FromString(event)
    if not told.HasField("answer"):
        return event
    told.answer.id = numbers[told.answer.id]
    return told.SerializeToString()


class Hopping:
    def __init__(self, folder: Path) -> None:
        self._path = str(folder / "hop.sock")
        self._server = LinkServer(
            cell="c",
            host="h",
            epoch=1,
            secret=SECRET,
            on_open=lambda link: None,
            on_command=self._came,
            on_close=lambda link: None,
        )
        self._links = Links(
            config=LinkConfig(cell="c", secret=SECRET, gateway="g", machine="m"),
            events=self,
            metrics=Metrics(),
        )
        self._host = data_pb2.HostInfo(
            host="h", cell="c", epoch=1, unix_path=self._path, machine="m"
        )
        self._round = Round([], [])
        self._events: list[bytes] = []
        self._expected = self._got = self._told = self._sent = 0
        self._all = asyncio.Event()
        self.cpu_s = 0.0
        self.actions = 0

    async def open(self) -> None:
        await self._server.listen(unix_path=self._path)
        self._server.admit()

    async def play(self, round: Round) -> None:
        """One round, measured."""
        self._round, self._expected, self._got = round, len(round.commands), 0
        commands = [host_pb2.HostCommand.FromString(data) for data in round.commands]
        self.actions += sum(command.HasField("act") for command in commands)
        self._told = 0
        self._all.clear()
        # The stream counts commands by itself: answers get its numbers.
        numbers = {c.id: self._sent + n for n, c in enumerate(commands, 1)}
        self._sent += len(commands)
        self._events = [_renumbered(event, numbers) for event in round.events]
        hosts: set[str] = set()
        waiter = Waiter()
        begun = time.process_time()
        for command in commands:
            self._links.send(self._host, Sent(waiter, 1, "r", 0, command, hosts))
        await self._all.wait()
        self.cpu_s += time.process_time() - begun

    def _came(self, link: Link, command: host_pb2.HostCommand) -> None:
        self._got += 1
        if self._got == self._expected:
            for event in self._events:
                link.send(event)

    def link_answer(self, sent: Sent, answer: host_pb2.HostAnswer) -> None:
        self._tell()

    def link_event(self, host: str, event: host_pb2.HostEvent) -> None:
        self._tell()

    def link_cut(self, host: str, *, was_open: bool) -> None: ...

    def _tell(self) -> None:
        self._told += 1
        if self._told == len(self._round.events):
            self._all.set()

    async def close(self) -> None:
        await self._links.close()
        await self._server.close()
