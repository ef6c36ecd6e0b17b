"""A newer view comes into an open table; games that are new to a device are marked.

Budget: 10 s.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest
from playwright.async_api import Browser, Route, expect

from tests.web.conftest import PageHall
from tests.web.person import READY_MS, opened, seated, until

pytestmark = pytest.mark.asyncio(loop_scope="session")
VIEW = """
import { boardView } from "@hall/kit";
export default boardView({ labels: { en: { play: "Lay down" }, zh: { play: "打出" } } });
"""
VERSION, DIGEST = "9.9.9", sha256(VIEW.encode()).hexdigest()
GATEWAY_KNOWS = """([version, sha256]) => {
  const call = paiju.call.bind(paiju);
  paiju.call = (kind, value, options) =>
    kind === "getPackage" && value.version === version
      ? Promise.resolve({ files: [{ path: "view.js", sha256 }] })
      : call(kind, value, options);
}"""
"""Only what the gateway vouches for is ever run."""


async def test_a_newer_view_keeps_the_selection_and_the_page(
    browser: Browser, hall: PageHall
) -> None:
    page, wrong = await opened(browser, hall.pages[0])

    async def newer(route: Route) -> None:
        answer = await route.fetch()
        told: dict[str, Any] = await answer.json()
        for game in told["games"]:
            if game["package"] == "doudizhu":
                game["view"] = f"p/doudizhu/{DIGEST}/view.js"
        told["packages"]["doudizhu"]["version"] = VERSION
        await route.fulfill(json=told)

    async def view(route: Route) -> None:
        await route.fulfill(body=VIEW, content_type="text/javascript")

    await seated(page, "doudizhu.novice", robots=True)
    await expect(page.locator("#cards button").nth(16)).to_be_visible(timeout=READY_MS)
    await page.evaluate("globalThis.sameDocument = true")
    for at in (1, 3):
        await page.locator("#cards button").nth(at).focus()
        await page.keyboard.press("Enter")
    chosen = '#cards [aria-pressed="true"]'
    await expect(page.locator(chosen)).to_have_count(2)
    script = f"[...document.querySelectorAll('{chosen}')].map((card) => card.dataset.card)"
    before = await page.evaluate(script)
    await page.route("**/hall.json", newer)
    await page.route(f"**/{DIGEST}/view.js", view)
    await page.evaluate(GATEWAY_KNOWS, [VERSION, DIGEST])
    await page.evaluate("paiju.onrooms()")
    names = "performance.getEntriesByType('resource').map((one) => one.name)"
    await until(page, f"{names}.some((name) => name.includes('{DIGEST}'))")
    # The bidding may go on meanwhile; the hand, and so the choice, stays.
    await expect(page.locator(chosen)).to_have_count(2)
    assert await page.evaluate(script) == before
    assert await page.evaluate("sameDocument")
    assert wrong == []
    await page.click("#leave")
    await page.click("#go")
    await page.context.close()


async def test_marks_stay_until_the_game_was_opened(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[0])
    await expect(page.locator(".game").first).to_be_visible(timeout=READY_MS)
    marks = page.locator(".mark-of")
    await expect(marks).to_have_count(0)
    await until(page, "localStorage.getItem('paiju.seen') !== null")
    seen = json.loads(await page.evaluate("localStorage.getItem('paiju.seen')"))
    assert seen["reversi"] and seen["gouji"]
    del seen["reversi"]
    seen["gouji"] = "0.0.1"
    await page.evaluate("(seen) => localStorage.setItem('paiju.seen', seen)", json.dumps(seen))
    await page.reload()
    reversi, gouji = (page.locator(f'[data-game="{name}"]') for name in ("reversi", "gouji"))
    await expect(reversi).to_contain_text("new", timeout=READY_MS)
    await expect(gouji).to_contain_text("updated")
    await reversi.click()
    await expect(reversi.locator(".mark-of")).to_have_count(0)
    await expect(gouji.locator(".mark-of")).to_have_count(1)
    await page.context.close()
