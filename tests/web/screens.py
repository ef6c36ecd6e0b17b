"""Pictures of every game's table and every screen of the hall, to be looked at.

`python -m tests.web.screens FOLDER [GAME ... | screens]`: on a phone, a lying phone and a desk
each. Not a test; CI keeps the pictures as artefacts.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from pathlib import Path

from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from hall_client.web.catalogue import Catalogue
from tests.web.conftest import CHROMIUM, PageHall
from tests.web.person import READY_MS, by_hint, opened, play_hand, seated
from tests.web.recorded import GAMES, REGISTRY, boards
from tests.web.stage import mount, show

VIEWPORTS = {
    "phone": ViewportSize(width=390, height=844),
    "lying": ViewportSize(width=844, height=390),
    "desk": ViewportSize(width=1360, height=860),
}


async def picture(page: Page, folder: Path, name: str) -> None:
    """One file per viewport."""
    for kind, viewport in VIEWPORTS.items():
        await page.set_viewport_size(viewport)
        await page.wait_for_timeout(80)
        await page.screenshot(path=folder / f"{name}.{kind}.png")


async def games(browser: Browser, site: str, folder: Path, names: list[str]) -> None:
    """Two boards of each game: the seat's first turn, and late in the hand."""
    packages = Catalogue(REGISTRY).packages()
    page = await (await browser.new_context()).new_page()
    await page.goto(site)
    for name in names:
        views = boards(name, 0)
        view = packages[REGISTRY.package_of(name)]["view"]
        await mount(page, view, views, locale="zh")
        turns = [n for n, seen in enumerate(views) if 0 in seen.get("to_act", [])] or [0]
        for kind, at in (("first", turns[0]), ("late", turns[len(turns) * 2 // 3])):
            await show(page, at)
            await picture(page, folder, f"game-{name}.{kind}")


async def screens(browser: Browser, address: str, folder: Path) -> None:
    """What a visitor comes by."""
    page, _ = await opened(browser, address, locale="zh-CN")
    await expect(page.locator(".game").first).to_be_visible(timeout=READY_MS)
    await picture(page, folder, "hall")
    await page.click("#menu")
    await expect(page.locator(".panel")).to_be_visible()
    await picture(page, folder, "settings")
    await page.click("#menu")
    await page.click('[data-game="doudizhu"]')
    await picture(page, folder, "rooms")
    await page.click('[data-room="doudizhu.novice"] [data-do="tables"]')
    await page.click("#newtable")
    player, _ = await opened(browser, address)
    await seated(player, "doudizhu.novice")
    await expect(page.locator(".one-table").first).to_be_visible(timeout=READY_MS)
    await page.locator("#tables").scroll_into_view_if_needed()
    await picture(page, folder, "tables")
    await page.click('[data-game="doudizhu"]')
    await seated(page, "paodekuai.score")
    await picture(page, folder, "table-waiting")
    await page.click("#robots")
    await page.click("#ready")
    await expect(page.locator("#cards button").first).to_be_visible(timeout=READY_MS)
    for button, name in (("talk", "chat"), ("help", "help"), ("leave", "leave")):
        await page.click(f"#{button}")
        await expect(page.locator(".panel")).to_be_visible()
        await picture(page, folder, f"table-{name}")
        await page.locator(".panel .head button").click()
    await play_hand(page, by_hint, within_s=120)
    await picture(page, folder, "table-result")
    await page.click("#leave")
    await page.click("#go")
    await page.click("#myhands")
    await expect(page.locator(".hand-of").first).to_be_visible(timeout=READY_MS)
    await picture(page, folder, "hands")
    await page.locator(".hand-of").first.click()
    await expect(page.locator("#replay .board")).to_be_visible(timeout=READY_MS)
    await page.locator("#scrubber").fill("20")
    await page.click("#verify")
    await expect(page.locator("#proof li").first).to_be_visible()
    await picture(page, folder, "replay")
    for one in (page, player):
        await one.context.close()


async def main(folder: Path, names: list[str]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as data:
        async with async_playwright() as playwright, PageHall(Path(data)) as hall:
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            if names != ["screens"]:
                await games(browser, hall.pages[0], folder, names or GAMES)
            if not names or names == ["screens"]:
                await screens(browser, hall.pages[0], folder)
            await browser.close()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), sys.argv[2:]))
