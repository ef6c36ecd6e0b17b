"""The page in Chromium: a whole hand through the WebSocket edge, a cut in the middle of it.

Budget: 60 s.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from playwright.async_api import Browser, Page, expect

from paiju.wire.records import SIZES
from paiju.wire.sealed import OPENING_BYTES
from tests.web.conftest import PageHall

pytestmark = pytest.mark.asyncio(loop_scope="session")
HAND_S = 120.0
TABLE = "paiju.tables.values().next().value"
SEQ = f"{TABLE}.seq"


async def opened(
    browser: Browser, address: str, *, sent: list[int] | None = None, **options: Any
) -> tuple[Page, list[str]]:
    """A page in a profile of its own, and what goes wrong on it. sent: lengths of its frames."""
    context = await browser.new_context(locale="en-US", **options)
    page = await context.new_page()
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda said: wrong.append(said.text) if said.type == "error" else None)
    if sent is not None:
        page.on(
            "websocket",
            lambda socket: socket.on("framesent", lambda data: sent.append(len(data))),
        )
    await page.goto(address)
    return page, wrong


async def play_what_is_due(page: Page) -> None:
    """One decision of a simple player: the highest call, the lowest card, otherwise pass."""
    verbs = await page.eval_on_selector_all(
        "#verbs button", "buttons => buttons.map((button) => button.dataset.verb)"
    )
    if not verbs:
        return
    seen = await page.evaluate(f"String({SEQ})")
    if "call 3" in verbs:
        await page.click('#verbs button[data-verb="call 3"]')
    elif "pass" in verbs:
        await page.click('#verbs button[data-verb="pass"]')
    else:
        await page.click("#cards button >> nth=0")
        await page.click('#verbs button[data-verb="play"]')
        # The turn is over, or another one of ours has begun, when the hall has taken it.
        await until(page, f"{SEQ} > {seen}n || !{TABLE}.view.to_act?.includes({TABLE}.seat)")


async def until(page: Page, expression: str, *, within_s: float = 10.0) -> None:
    """Poll: the page's own policy forbids Playwright's way of waiting for an expression."""
    end = time.monotonic() + within_s
    while not await page.evaluate(expression):
        assert time.monotonic() < end, expression
        await page.wait_for_timeout(10)


async def test_a_whole_hand_with_a_lost_connection_in_it(browser: Browser, hall: PageHall) -> None:
    sent: list[int] = []
    page, wrong = await opened(browser, hall.pages[0], sent=sent)
    await expect(page.locator("#status")).to_contain_text("sealed", timeout=15_000)
    await page.click("#sit")
    await expect(page.locator("#table")).to_be_visible()
    await page.click("#robots")
    await expect(page.locator("#robots")).to_be_hidden(timeout=20_000)
    await page.click("#ready")
    await expect(page.locator("#cards button").first).to_be_visible(timeout=20_000)
    assert await page.locator("#cards button").count() >= 17

    dropped = False
    end = time.monotonic() + HAND_S
    while not await page.locator("#result").inner_text():
        assert time.monotonic() < end, await page.inner_text("body")
        await play_what_is_due(page)
        if not dropped and await page.evaluate(f"{SEQ} > 8n"):
            dropped = True
            await page.evaluate("paiju.drop()")
            await until(page, "paiju.resumes === 1")
        await page.wait_for_timeout(20)

    assert dropped
    assert (await page.inner_text("#result")).startswith("Hand 1: you ")
    assert (await page.inner_text("#said")) == ""
    assert wrong == []
    assert sent and set(sent) <= {OPENING_BYTES, *SIZES}, "padded, all of them"
    await page.click("#leave")
    await expect(page.locator("#lobby")).to_be_visible()


async def test_a_refusal_is_a_sentence(browser: Browser, hall: PageHall) -> None:
    page, wrong = await opened(browser, hall.pages[0])
    await expect(page.locator("#status")).to_contain_text("sealed", timeout=15_000)
    said = await page.evaluate("paiju.quickJoin('no.such.room').catch((error) => error.message)")
    assert "no.such.room" in said
    assert wrong == []


async def test_the_same_guest_comes_back(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[0])
    name = "paiju?.session?.profile.name"
    await until(page, f"globalThis.{name}")
    first = await page.evaluate(name)
    await page.reload()
    await until(page, f"globalThis.{name}")
    assert await page.evaluate(name) == first


async def test_a_second_page_of_the_same_guest_replaces_the_first(
    browser: Browser, hall: PageHall
) -> None:
    page, _ = await opened(browser, hall.pages[0])
    await expect(page.locator("#status")).to_contain_text("sealed", timeout=15_000)
    second = await page.context.new_page()
    await second.goto(hall.pages[0])
    await expect(second.locator("#status")).to_contain_text("sealed", timeout=15_000)
    await expect(page.locator("#status")).to_contain_text("REPLACED", timeout=10_000)


async def test_https_is_served_and_allows_the_seal(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[1], ignore_https_errors=True)
    assert await page.evaluate("isSecureContext && Boolean(crypto.subtle)")


async def test_a_page_that_is_not_secure_says_so(browser: Browser, hall: PageHall) -> None:
    context = await browser.new_context(locale="zh-CN")
    page = await context.new_page()
    # What a browser does on http pages of other machines.
    await page.add_init_script(
        "Object.defineProperty(globalThis, 'isSecureContext', {value: false})"
    )
    await page.goto(hall.pages[0])
    await expect(page.locator("#status")).to_contain_text("https")
