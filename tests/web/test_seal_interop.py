"""The page's seal against Python's, in Chromium: records both ways over key changes, attacks."""

from __future__ import annotations

import base64
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page

from paiju.wire.records import Opener, Sealer
from paiju.wire.sealed import ClientChannel, ServerChannel
from paiju.wire.server_keys import ServerKeys, encode
from tests.web.conftest import PageHall

pytestmark = pytest.mark.asyncio(loop_scope="session")
KEY = bytes(range(32))
PAYLOADS = [bytes([n % 251]) * n for n in (0, 1, 200, 224, 225, 1000, 5000, 40_000)]

_PRELUDE = """
const bytes = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
const base64 = (data) => {
  let out = "";
  for (const byte of data) out += String.fromCharCode(byte);
  return btoa(out);
};
const net = new URL("net/", document.querySelector("script[src]").src);
const { Sealer, Opener } = await import(new URL("records.js", net));
const { Channel } = await import(new URL("channel.js", net));
const { aesKey } = await import(new URL("noise.js", net));
const { fromBase64url } = await import(new URL("bytes.js", net));
"""


def b64(data: bytes) -> str:
    return base64.b64encode(data).decode()


async def run(page: Page, script: str, argument: Any) -> Any:
    return await page.evaluate(f"async (given) => {{ {_PRELUDE} {script} }}", argument)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def page(browser: Browser, hall: PageHall) -> AsyncIterator[Page]:
    context = await browser.new_context()
    made = await context.new_page()
    await made.goto(hall.pages[0])
    yield made
    await context.close()


async def test_records_from_the_page_open_in_python(page: Page) -> None:
    script = """
      const sealer = new Sealer(await aesKey(bytes(given.key)), { recordsPerKey: 3 });
      // All at once: the chain keeps the order, whichever is encrypted first.
      const sealed = await Promise.all(given.payloads.map((one) => sealer.seal(bytes(one))));
      return sealed.map(base64);
    """
    frames = await run(page, script, {"key": b64(KEY), "payloads": [b64(p) for p in PAYLOADS]})
    opener = Opener(KEY, records_per_key=3)
    assert [opener.open(base64.b64decode(frame)) for frame in frames] == PAYLOADS


async def test_records_from_python_open_on_the_page(page: Page) -> None:
    sealer = Sealer(KEY, now=0.0, records_per_key=3)
    script = """
      const opener = new Opener(await aesKey(bytes(given.key)), { recordsPerKey: 3 });
      const opened = await Promise.all(given.frames.map((one) => opener.open(bytes(one))));
      return opened.map(base64);
    """
    frames = [b64(sealer.seal(payload, 0.0)) for payload in PAYLOADS]
    opened = await run(page, script, {"key": b64(KEY), "frames": frames})
    assert [base64.b64decode(payload) for payload in opened] == PAYLOADS


@pytest.mark.parametrize("attack", ["flip", "replay", "drop", "truncate", "old key"])
async def test_the_page_takes_nothing_that_was_tampered_with(page: Page, attack: str) -> None:
    sealer = Sealer(KEY, now=0.0, records_per_key=2)
    frames = [sealer.seal(b"one", 0.0), sealer.seal(b"two", 0.0), sealer.seal(b"three", 0.0)]
    match attack:
        case "flip":
            frames[1] = frames[1][:40] + bytes([frames[1][40] ^ 1]) + frames[1][41:]
        case "replay":
            frames[1] = frames[0]
        case "drop":
            del frames[1]
        case "truncate":
            frames[1] = frames[1][:-1]
        case "old key":
            old = Sealer(KEY, now=0.0)
            frames[2] = [old.seal(b"three", 0.0) for _ in range(3)][2]
    script = """
      const opener = new Opener(await aesKey(bytes(given.key)), { recordsPerKey: 2 });
      const tried = await Promise.allSettled(given.frames.map((one) => opener.open(bytes(one))));
      return tried.map((one) => one.status === "fulfilled");
    """
    taken = await run(page, script, {"key": b64(KEY), "frames": [b64(f) for f in frames]})
    good = 2 if attack == "old key" else 1
    assert taken == [n < good for n in range(len(frames))], "nothing after the first bad one"


async def test_a_handshake_with_python(page: Page) -> None:
    keys = ServerKeys.generate()
    script = """
      globalThis.channel = new Channel(fromBase64url(given));
      return base64(await channel.opening());
    """
    server = ServerChannel(keys)
    server.receive(base64.b64decode(await run(page, script, encode(keys.public[0]))), 0.0)
    script = """
      await channel.accept(bytes(given));
      return base64(await channel.seal(bytes(btoa("from the page"))));
    """
    frame = await run(page, script, b64(server.handshake()))
    assert server.receive(base64.b64decode(frame), 0.0) == b"from the page"
    script = "return base64(await channel.open(bytes(given)));"
    opened = await run(page, script, b64(server.seal(b"from python", 0.0)))
    assert base64.b64decode(opened) == b"from python"


async def test_a_server_with_another_key_is_not_spoken_to(page: Page) -> None:
    real, impostor = ServerKeys.generate(), ServerKeys.generate()
    script = """
      const channel = new Channel(fromBase64url(given.pinned));
      await channel.opening();
      return channel.accept(bytes(given.answer)).then(() => "taken", (error) => error.reason);
    """
    server = ServerChannel(impostor)
    server.receive(ClientChannel(server_key=impostor.public[0]).handshake(), 0.0)
    given = {"pinned": encode(real.public[0]), "answer": b64(server.handshake())}
    assert await run(page, script, given) == "handshake"
