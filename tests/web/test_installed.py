"""The page as an installed program: manifest, icons, and what it says without a connection.

Budget: 10 s.
"""

from __future__ import annotations

import json
import struct

import pytest
from playwright.async_api import Browser, expect

from tests.web.conftest import PageHall
from tests.web.person import connected, opened, until

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_the_manifest_s_icons_are_what_it_says(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[0])
    where = await page.evaluate("document.querySelector('link[rel=manifest]').href")
    answer = await page.request.get(where)
    manifest = json.loads(await answer.text())
    assert manifest["display"] == "standalone"
    kinds = set()
    for icon in manifest["icons"]:
        got = await page.request.get(where.replace("manifest.webmanifest", icon["src"]))
        assert got.status == 200, icon
        if icon["type"] == "image/png":
            width, height = struct.unpack(">II", (await got.body())[16:24])
            assert icon["sizes"] == f"{width}x{height}"
            kinds.add((width, icon.get("purpose", "any")))
    assert kinds == {(192, "any"), (512, "any"), (512, "maskable")}
    await page.context.close()


async def test_without_a_connection_the_page_says_so(browser: Browser, hall: PageHall) -> None:
    page, wrong = await opened(browser, hall.pages[0])
    await connected(page)
    active = "navigator.serviceWorker.getRegistration().then((one) => one?.active?.state)"
    await until(page, f"{active}.then((state) => state === 'activated')")
    await page.context.set_offline(True)
    await page.reload()
    await expect(page.locator("#offline")).to_contain_text("No connection")
    await expect(page.locator("#offline")).to_contain_text("没有网络连接")
    styled = "getComputedStyle(document.querySelector('#offline a')).textDecorationLine"
    assert await page.evaluate(styled) == "none", "its style is kept, too"
    await page.context.set_offline(False)
    await page.click("#offline a")
    await connected(page)
    assert not [line for line in wrong if "INTERNET_DISCONNECTED" not in line], wrong
    await page.context.close()
