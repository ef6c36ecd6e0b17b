"""Every screen for those who do not see it, or use no mouse: axe finds nothing.

Budget: 40 s.
"""

from __future__ import annotations

from importlib import resources

import pytest
from playwright.async_api import Browser, Page, expect

from tests.web.conftest import PageHall
from tests.web.person import opened, seated

pytestmark = pytest.mark.asyncio(loop_scope="session")
AXE = resources.files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
RUN = """async () => (await axe.run(document)).violations.map(
  ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`)"""
PANELS = {"menu": "settings", "help": "rules", "talk": "chat", "leave": "leaving"}


async def violations(page: Page) -> list[str]:
    await page.evaluate(AXE)
    found: list[str] = await page.evaluate(RUN)
    return found


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
async def test_the_hall_and_its_rooms(browser: Browser, hall: PageHall, locale: str) -> None:
    page, _ = await opened(browser, hall.pages[0], locale=locale)
    await page.locator('[data-game="shengji"]').click(timeout=20_000)
    await expect(page.locator(".room").first).to_be_visible()
    assert await violations(page) == []
    await page.click("#menu")
    await expect(page.locator(".panel")).to_be_visible()
    assert await violations(page) == []
    await page.context.close()


async def test_a_table_and_its_panels(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[0])
    await seated(page, "huanle_doudizhu.score")
    assert await violations(page) == [], "waiting"
    await page.click("#robots")
    await page.click("#ready")
    await expect(page.locator("#cards button").first).to_be_visible(timeout=20_000)
    assert await violations(page) == [], "playing"
    for button, what in PANELS.items():
        await page.click(f"#{button}")
        await expect(page.locator(".panel")).to_be_visible()
        assert await violations(page) == [], what
        await page.locator(".panel .head button").click()
    await page.context.close()
