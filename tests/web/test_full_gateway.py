"""A gateway that is full names another one, and the page goes there next."""

from __future__ import annotations

import time

import pytest
from picows import (
    WSFrame,
    WSListener,
    WSMsgType,
    WSTransport,
    WSUpgradeRequest,
    ws_create_server,
)
from playwright.async_api import Browser

from paiju.wire.sealed import ServerChannel
from paiju.wire.server_keys import ServerKeys, encode
from paiju.wire.v1 import common_pb2, hall_pb2
from tests.web.conftest import PageHall

pytestmark = pytest.mark.asyncio(loop_scope="session")
KEYS = ServerKeys.generate()

_GO = """async (given) => {
  const net = new URL("net/", document.querySelector("script[src]").src);
  const { HallClient, mayGo } = await import(new URL("client.js", net));
  const { Codec } = await import(new URL("codec.js", net));
  const { fromBase64url } = await import(new URL("bytes.js", net));
  const client = new HallClient({
    gateways: [given.full],
    serverKeys: given.keys.map(fromBase64url),
    codec: await Codec.load("wire.binpb"),
  });
  await client.guest(crypto.getRandomValues(new Uint8Array(32)));
  const went = client.url;
  client.drop();
  return [went, given.hints.map(([url, hint]) => mayGo(url, hint))];
}"""
HINTS = {
    ("ws://h:1", "ws://i:2"): True,
    ("ws://h:1", "wss://i"): True,
    ("wss://h", "wss://i"): True,
    ("wss://h", "ws://i:2"): False,
    ("ws://h:1", "i:2"): False,
    ("ws://h:1", ""): False,
    ("ws://h:1", "https://i"): False,
}


class Full(WSListener):
    """Refuses every Hello, and names `instead`."""

    def __init__(self, instead: str) -> None:
        self._instead = instead
        self._channel = ServerChannel(KEYS)

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type != WSMsgType.BINARY:
            return
        packet = self._channel.receive(frame.get_payload_as_bytes(), time.monotonic())
        if accepted := self._channel.handshake():
            transport.send(WSMsgType.BINARY, accepted)
        if packet is None:
            return
        hello = hall_pb2.ClientFrame.FromString(packet).commands[0]
        refusal = common_pb2.Refusal(code="SERVER_FULL", params={"elsewhere": self._instead})
        update = hall_pb2.Update(answer=hall_pb2.Answer(id=hello.id, refusal=refusal))
        answer = hall_pb2.ServerFrame(updates=[update]).SerializeToString()
        transport.send(WSMsgType.BINARY, self._channel.seal(answer, time.monotonic()))


async def test_the_page_goes_where_a_full_gateway_sends_it(
    hall: PageHall, browser: Browser
) -> None:
    (real, *_) = hall.web_gateways

    def arrived(_: WSUpgradeRequest) -> Full:
        return Full(real)

    server = await ws_create_server(arrived, "127.0.0.1", 0, start_serving=True)
    full = f"ws://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(hall.pages[0])
    keys = [encode(KEYS.public[0]), encode(hall.server_keys[0])]
    given = {"full": full, "keys": keys, "hints": [list(pair) for pair in HINTS]}
    went, may = await page.evaluate(_GO, given)
    assert went == real
    assert dict(zip(HINTS, may, strict=True)) == HINTS
    await context.close()
    server.close()
