"""The tables of a room: seats as buttons, watching, a locked table and the link to it.

Budget: 20 s.
"""

from __future__ import annotations

import json

import pytest
from playwright.async_api import Browser, expect

from tests.web.conftest import PageHall
from tests.web.person import READY_MS, TABLE, connected, opened, seated
from tests.web.test_games import OVERFLOW, PHONE

pytestmark = pytest.mark.asyncio(loop_scope="session")
ROOM = "huanle_doudizhu.novice"


async def test_a_locked_table_its_link_and_a_spectator(browser: Browser, hall: PageHall) -> None:
    owner, wrong = await opened(browser, hall.pages[0], viewport=PHONE)
    await owner.click('[data-game="huanle_doudizhu"]', timeout=READY_MS)
    await owner.click(f'[data-room="{ROOM}"] [data-do="tables"]')
    await owner.click("#newtable")
    await owner.fill('input[name="key"]', "plum blossom")
    assert await owner.evaluate(OVERFLOW) <= 0
    await owner.click('.newtable [type="submit"]')
    await expect(owner.locator("#table .board")).to_be_visible(timeout=READY_MS)
    await owner.click("#invite")
    link = await owner.locator("#invitation").input_value()

    # In the grid: a lock and no name; a wrong key is refused with a sentence.
    stranger, _ = await opened(browser, hall.pages[0])
    await stranger.click('[data-game="huanle_doudizhu"]', timeout=READY_MS)
    await stranger.click(f'[data-room="{ROOM}"] [data-do="tables"]')
    number = link.split("/")[-2]
    card = stranger.locator(f'.one-table[data-table="{number}"]')
    await expect(card).to_contain_text("taken", timeout=READY_MS)
    await card.locator('[data-do="watch"]').click()
    await card.locator('input[name="key"]').fill("cherry")
    await card.locator('[type="submit"]').click()
    await expect(stranger.locator("#said")).to_contain_text("key", timeout=READY_MS)
    await stranger.click('[data-filter="playing"]')
    await expect(stranger.locator(".one-table")).to_have_count(0)

    # The link leads to the board, and from there to a seat; no key stays in the address.
    friend, _ = await opened(browser, link)
    await expect(friend.locator("#table .board")).to_be_visible(timeout=READY_MS)
    assert "#" not in friend.url
    await friend.click('#manage [data-seat="2"]')
    await expect(owner.locator('[data-seat="2"] .who')).to_be_visible(timeout=READY_MS)

    # The stranger says the right key and looks on: a board without anybody's cards.
    await stranger.click('[data-filter="all"]')
    await card.locator('[data-do="watch"]').click()
    await card.locator('input[name="key"]').fill("plum blossom")
    await card.locator('[type="submit"]').click()
    await expect(stranger.locator("#table .board")).to_be_visible(timeout=READY_MS)
    await expect(owner.locator("#spectators")).to_be_visible(timeout=READY_MS)
    await owner.click("#robots")
    for player in (owner, friend):
        await player.click("#ready")
    await expect(owner.locator("#cards button").first).to_be_visible(timeout=READY_MS)
    await expect(stranger.locator("#turn")).not_to_contain_text("Waiting", timeout=READY_MS)
    hand = await owner.evaluate(f"{TABLE}.view.hand")
    seen = json.dumps(await stranger.evaluate(f"{TABLE}.view"))
    assert not [card for card in hand if f'"{card}"' in seen]
    assert await stranger.locator("#verbs, #cards").count() == 0
    await stranger.click("#leave")
    await expect(stranger.locator("#lobby")).to_be_visible()
    assert wrong == []
    for page in (owner, stranger, friend):
        await page.context.close()


async def test_a_free_seat_of_the_grid_is_taken_by_its_button(
    browser: Browser, hall: PageHall
) -> None:
    first, _ = await opened(browser, hall.pages[0])
    await connected(first)
    await seated(first, "mala_doudizhu.score")
    page, wrong = await opened(browser, hall.pages[0])
    await page.click('[data-game="mala_doudizhu"]', timeout=READY_MS)
    await page.click('[data-room="mala_doudizhu.score"] [data-do="tables"]')
    taken = page.locator(".one-table", has=page.locator(".taken"))
    await taken.first.locator('button[data-seat="2"]').click(timeout=READY_MS)
    await expect(page.locator("#table .board")).to_be_visible(timeout=READY_MS)
    assert await page.evaluate(f"{TABLE}.seat") == 2
    assert wrong == []
    for one in (first, page):
        await one.context.close()
