"""The host's end of a stream to a gateway: one that does not read is cut, and counted."""

from __future__ import annotations

import asyncio
from pathlib import Path

from game_server.tables.links import QUEUE_BYTES, Link, LinkServer
from paiju.wire import frames
from paiju.wire import link as opening
from paiju.wire.v1 import host_pb2

SECRET = b"a secret of sixteen bytes"


async def test_a_gateway_that_does_not_read_is_cut_and_counted(tmp_path: Path) -> None:
    cuts: list[bool] = []
    opened: asyncio.Future[Link] = asyncio.get_running_loop().create_future()
    closed = asyncio.Event()
    server = LinkServer(
        cell="cell",
        host="h",
        epoch=1,
        secret=SECRET,
        on_open=opened.set_result,
        on_command=lambda link, command: None,
        on_close=lambda link: closed.set(),
        on_cut=lambda: cuts.append(True),
    )
    await server.listen(unix_path=str(tmp_path / "h.sock"))
    server.admit()
    reader, writer = await asyncio.open_unix_connection(tmp_path / "h.sock")
    asked = host_pb2.LinkChallenge.FromString(await frames.read_frame(reader))
    answer = opening.opening(SECRET, asked, cell="cell", host="h", epoch=1, gateway="g")
    writer.write(frames.pack(answer.SerializeToString()))
    link = await asyncio.wait_for(opened, 5)
    writer.transport.pause_reading()
    event = bytes(64 * 1024)
    for _ in range(2 * QUEUE_BYTES // len(event) + 64):  # the system holds some of them, too
        link.send(event)
        await asyncio.sleep(0)
    await asyncio.wait_for(closed.wait(), 5)
    assert cuts == [True] and link.closed
    writer.transport.abort()
    await server.close()
