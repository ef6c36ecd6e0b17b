"""Every family in the browser: a whole hand, every screen, what others must not see.

Budget: 120 s.
"""

from __future__ import annotations

import json
from typing import Any

import pytest
from playwright.async_api import Browser, Page, ViewportSize, expect

from paiju.rules.registry import Registry
from tests.web.conftest import PageHall
from tests.web.person import (
    TABLE,
    Turn,
    by_hint,
    by_keyboard,
    connected,
    opened,
    play_hand,
    seated,
)

pytestmark = pytest.mark.asyncio(loop_scope="session")
PHONE = ViewportSize(width=390, height=844)
LYING_PHONE = ViewportSize(width=844, height=390)
DESK = ViewportSize(width=1360, height=860)
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize(
    ("room", "turn", "viewport"),
    [
        ("doudizhu.score", by_keyboard, DESK),
        ("shengji.one", by_hint, PHONE),
        ("aiqipai_niuniu.score", by_hint, LYING_PHONE),
        ("chihuoguo.score", by_keyboard, PHONE),
        ("wuhuaguo.score", by_hint, DESK),
    ],
)
async def test_a_hand_of_each_family_by_its_hints(
    browser: Browser, hall: PageHall, room: str, turn: Turn, viewport: ViewportSize
) -> None:
    page, wrong = await opened(browser, hall.pages[0], viewport=viewport)
    await seated(page, room, robots=True)
    turns = await play_hand(page, turn, within_s=120)
    while not turns:  # Hot Pot: somebody took the pot before it was our turn
        await page.click("#ready")
        await expect(page.locator("#result")).to_be_hidden(timeout=20_000)
        turns = await play_hand(page, turn, within_s=120)
    assert await page.evaluate(OVERFLOW) <= 0
    assert await page.inner_text("#said") == ""
    assert wrong == []
    await page.context.close()


@pytest.mark.parametrize("viewport", [PHONE, LYING_PHONE, DESK], ids=["phone", "lying", "desk"])
async def test_six_seats_and_thirty_six_cards_fit(
    browser: Browser, hall: PageHall, viewport: ViewportSize
) -> None:
    page, wrong = await opened(browser, hall.pages[0], viewport=viewport, locale="zh-CN")
    await seated(page, "gouji.score", robots=True)
    await expect(page.locator("#cards button").nth(35)).to_be_visible(timeout=20_000)
    assert await page.evaluate(OVERFLOW) <= 0
    assert await page.evaluate(UNREACHABLE) == []
    assert wrong == []
    await page.context.close()


UNREACHABLE = """[...document.querySelectorAll("#cards button")].filter((card) => {
  const box = card.getBoundingClientRect();
  const top = document.elementFromPoint(box.left + 4, box.top + 6);
  return top?.closest("[data-at]") !== card;
}).map((card) => card.dataset.card)"""
"""Cards of the hand whose left upper corner cannot be touched."""


async def test_three_pages_at_one_table_never_hold_each_others_cards(
    browser: Browser, hall: PageHall
) -> None:
    pages = [(await opened(browser, hall.pages[0]))[0] for _ in range(3)]
    for page in pages:
        await seated(page, "doudizhu.master")
    for page in pages:
        await page.click("#ready")
    for page in pages:
        await expect(page.locator("#cards button").first).to_be_visible(timeout=20_000)
    views = [await _view(page) for page in pages]
    assert len({view["@table"]["id"] for view in views}) == 1
    hands = [set(view["hand"]) for view in views]
    for own, view in enumerate(views):
        others = set().union(*(hand for seat, hand in enumerate(hands) if seat != own))
        assert not [card for card in others if f'"{card}"' in json.dumps(view)]
        drawn = await pages[own].eval_on_selector_all(
            "[data-card]", "cards => cards.map((card) => card.dataset.card)"
        )
        assert set(drawn) == hands[own]
    for page in pages:
        await page.context.close()


async def _view(page: Page) -> dict[str, Any]:
    found: dict[str, Any] = await page.evaluate(f"{TABLE}.view")
    return found


async def test_a_swipe_chooses_what_it_crosses_and_drops_it_again(
    browser: Browser, hall: PageHall
) -> None:
    page, _ = await opened(browser, hall.pages[0])
    await seated(page, "huopin_doudizhu.novice", robots=True)
    await expect(page.locator("#cards button").nth(16)).to_be_visible(timeout=20_000)
    for expected in (5, 0):
        await _swipe(page, 2, 6)
        assert await page.locator('#cards [aria-pressed="true"]').count() == expected
    await page.click("#leave")
    await page.click("#go")
    await expect(page.locator("#lobby")).to_be_visible()
    await page.context.close()


async def _swipe(page: Page, first: int, last: int) -> None:
    for index, act in ((first, "down"), (last, "up")):
        box = await page.locator("#cards button").nth(index).bounding_box()
        assert box is not None
        await page.mouse.move(box["x"] + 8, box["y"] + box["height"] / 2, steps=6)
        await (page.mouse.down() if act == "down" else page.mouse.up())


PARTS = """async () => {
  const found = {};
  for (const room of (await paiju.rooms()).rooms) {
    if (found[room.package]) continue;
    found[room.package] = {};
    const version = { package: room.package, version: room.packageVersion };
    for (const { path, sha256 } of (await paiju.call("getPackage", version)).files) {
      const url = `p/${room.package}/${sha256}/${path}`;
      found[room.package][path] = { url, status: (await fetch(url)).status };
    }
  }
  return found;
}"""
"""Client parts of all packages, as the gateway tells them."""


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_every_game_is_named_and_explained(
    browser: Browser, hall: PageHall, locale: str
) -> None:
    page, wrong = await opened(browser, hall.pages[0], locale=locale)
    await expect(page.locator(".game").first).to_be_visible(timeout=20_000)
    shown = await page.locator(".game").count()
    assert shown == len(Registry.default().rule_sets())
    await expect(page.locator("#status.open")).to_be_visible(timeout=20_000)
    told = await page.evaluate(PARTS)
    assert len(told) == len(Registry.default().packages())
    for package, files in told.items():
        assert {"help.en.md", "help.zh.md", "view.js"} <= files.keys(), package
        assert all(file["status"] == 200 for file in files.values()), files
    assert await page.locator("text=undefined").count() == 0
    assert wrong == []
    await page.context.close()


async def test_rules_never_reach_a_browser(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[0])
    await connected(page)
    told = await page.evaluate(PARTS)
    base = told["doudizhu"]["view.js"]["url"].rpartition("/")[0]
    for name in ("rules.py", "bot.py", "cases.jsonl", "manifest.toml", "../../x/rules.py"):
        status = await page.evaluate(
            "(url) => fetch(url).then((got) => got.status)", f"{base}/{name}"
        )
        assert status == 404, name
    await page.context.close()


async def test_the_hall_shows_after_few_small_requests(browser: Browser, hall: PageHall) -> None:
    context = await browser.new_context()
    page = await context.new_page()
    got: list[tuple[str, int]] = []

    async def note(request: Any) -> None:
        sizes = await request.sizes()
        got.append((request.url, sizes["responseBodySize"]))

    page.on("requestfinished", note)
    await page.goto(hall.pages[0])
    await expect(page.locator(".game").first).to_be_visible(timeout=20_000)
    modules = [url for url, _ in got if url.endswith(".js")]
    assert len(modules) <= 20, modules
    assert sum(size for _, size in got) <= 60_000, got
    await context.close()
