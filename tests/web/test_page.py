"""The page in Chromium: a whole hand through the WebSocket edge, a cut in the middle of it.

Budget: 60 s.
"""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Browser, Page, expect

from paiju.wire.records import SIZES
from paiju.wire.sealed import OPENING_BYTES
from tests.web.conftest import PageHall
from tests.web.person import TABLE, connected, opened, play_hand, seated, until

pytestmark = pytest.mark.asyncio(loop_scope="session")
HAND_S = 120.0
SEQ = f"{TABLE}.seq"


async def simple_turn(page: Page) -> None:
    """The highest call, the lowest card, otherwise pass: by clicks on cards and buttons."""
    verbs = await page.eval_on_selector_all(
        "#verbs button[data-verb]", "buttons => buttons.map((button) => button.dataset.verb)"
    )
    if not verbs:
        return
    seen = await page.evaluate(f"String({SEQ})")
    choice = next((verb for verb in ("call 3", "pass") if verb in verbs), "play")
    if choice == "play":
        await page.locator("#cards button").last.click()
    await page.click(f'#verbs button[data-verb="{choice}"]')
    # The turn is over, or another one of ours has begun, when the hall has taken it.
    await until(page, f"{SEQ} > {seen}n || !{TABLE}.view.to_act?.includes({TABLE}.seat)")


async def test_a_whole_hand_with_a_lost_connection_in_it(browser: Browser, hall: PageHall) -> None:
    sent: list[int] = []
    page, wrong = await opened(browser, hall.pages[0], sent=sent)
    await connected(page)
    await seated(page, "doudizhu.score")  # a room in which no other test leaves robots
    await page.click("#robots")
    await expect(page.locator("#robots")).to_be_hidden(timeout=20_000)
    await page.click("#ready")
    await expect(page.locator("#cards button").first).to_be_visible(timeout=20_000)
    assert await page.locator("#cards button").count() >= 17

    async def cut_once() -> None:
        if await page.evaluate(f"paiju.resumes === 0 && {SEQ} > 8n"):
            await page.evaluate("paiju.drop()")
            await until(page, "paiju.resumes === 1")

    await play_hand(page, simple_turn, within_s=HAND_S, each=[cut_once])
    assert await page.evaluate("paiju.resumes") == 1
    # The table may have been played at before.
    assert re.match(r"Hand \d+: you ", await page.inner_text("#result"))
    assert (await page.inner_text("#said")) == ""
    assert wrong == []
    assert sent and set(sent) <= {OPENING_BYTES, *SIZES}, "padded, all of them"
    await page.click("#leave")
    await page.click("#go")
    await expect(page.locator("#lobby")).to_be_visible()


async def test_a_refusal_is_a_sentence(browser: Browser, hall: PageHall) -> None:
    page, wrong = await opened(browser, hall.pages[0])
    await connected(page)
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
    await connected(page)
    second = await page.context.new_page()
    await second.goto(hall.pages[0])
    await connected(second)
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
    await expect(page.locator("#status")).to_contain_text("https", timeout=15_000)
