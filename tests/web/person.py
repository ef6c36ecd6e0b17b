"""A person in front of the page: opens it, takes a seat, plays by clicks. Nothing but the page."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import Any

from playwright.async_api import Browser, Page, expect

TABLE = "paiju.tables.values().next().value"
READY_MS = 20_000
LOOK_MS = 20
"""How often the page is looked at while nothing is to be done."""


async def opened(
    browser: Browser, address: str, *, sent: list[int] | None = None, **options: Any
) -> tuple[Page, list[str]]:
    """A page in a profile of its own, and what goes wrong on it. sent: lengths of its frames."""
    context = await browser.new_context(**{"locale": "en-US", **options})
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


async def connected(page: Page) -> None:
    await expect(page.locator("#status")).to_contain_text("sealed", timeout=READY_MS)


async def seated(page: Page, room: str, *, robots: bool = False) -> None:
    """Two clicks from the hall to a seat."""
    await page.locator(f'[data-game="{room.split(".")[0]}"]').click(timeout=READY_MS)
    await page.click(f'[data-room="{room}"] [data-do="{"robots" if robots else "sit"}"]')
    await expect(page.locator("#table .board")).to_be_visible(timeout=READY_MS)


async def until(page: Page, expression: str, *, within_s: float = 10.0) -> None:
    """Poll: the page's own policy forbids Playwright's way of waiting for an expression."""
    end = time.monotonic() + within_s
    while not await page.evaluate(expression):
        if time.monotonic() > end:
            said = await page.locator("#said, #turn, #verbs").all_inner_texts()
            raise AssertionError(f"{expression}: {said}")
        await page.wait_for_timeout(10)


async def my_turn(page: Page) -> bool:
    return bool(await page.locator("#turn.mine").count())


async def ended(page: Page) -> bool:
    return bool(await page.locator("#result").count())


Turn = Callable[[Page], Any]


async def play_hand(
    page: Page, turn: Turn, *, within_s: float, each: Sequence[Callable[[], Any]] = ()
) -> int:
    """To the result; how many own turns there were. each: called between looks."""
    end = time.monotonic() + within_s
    turns = 0
    while not await ended(page):
        assert time.monotonic() < end, await page.inner_text("body")
        if await my_turn(page):
            await turn(page)
            turns += 1
        for call in each:
            await call()
        await page.wait_for_timeout(LOOK_MS)
    return turns


async def by_hint(page: Page) -> None:
    """The hint button, and then the button that it points to: by mouse."""
    await _hinted(page)
    await page.evaluate("document.activeElement.click()")
    await _taken(page)


async def by_keyboard(page: Page) -> None:
    """The same without a mouse."""
    await _hinted(page, press=True)
    await page.keyboard.press("Enter")
    await _taken(page)


async def _hinted(page: Page, *, press: bool = False) -> None:
    hint = page.locator("#hint")
    if press:
        await hint.focus()
        await page.keyboard.press("Enter")
    else:
        await hint.click()
    await until(page, "document.activeElement.dataset.verb !== undefined")


async def _taken(page: Page) -> None:
    """The hall has answered: the turn is over, or another one of ours has begun."""
    seen = await page.evaluate(f"String({TABLE}.seq)")
    await until(page, f"{TABLE}.seq > {seen}n || !{TABLE}.view.to_act?.includes({TABLE}.seat)")
