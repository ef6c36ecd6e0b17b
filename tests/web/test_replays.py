"""Own finished hands: the list, the replay, the link that carries a hand, the proof of its deal.

Budget: 20 s.
"""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, expect

from tests.web.conftest import PageHall
from tests.web.person import READY_MS, by_hint, opened, play_hand, seated, until
from tests.web.recorded import packed, recorded
from tests.web.test_games import OVERFLOW, PHONE

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_hand_is_replayed_shared_and_verified(browser: Browser, hall: PageHall) -> None:
    page, wrong = await opened(browser, hall.pages[0], viewport=PHONE)
    await seated(page, "paodekuai.score", robots=True)
    await play_hand(page, by_hint, within_s=90)
    await page.click("#leave")
    await page.click("#go")
    await page.click("#myhands")
    await page.locator(".hand-of").first.click(timeout=READY_MS)
    await expect(page.locator("#replay .board")).to_be_visible(timeout=READY_MS)

    scrubber = page.locator("#scrubber")
    last = int(await scrubber.get_attribute("max") or 0)
    assert last > 20
    await scrubber.fill(str(last))
    await expect(page.locator(".at")).to_have_text(f"{last} / {last}")
    await scrubber.fill("1")
    cards = page.locator("#cards button")
    await expect(cards).to_have_count(16)
    await page.click("#run")
    await page.click("#speed")
    await until(page, "Number(document.querySelector('#scrubber').value) > 3")
    await page.click("#run")
    assert await page.evaluate(OVERFLOW) <= 0
    assert await page.locator("#verbs button").count() == 0, "a replay only looks"

    await page.click("#verify")
    proof = page.locator("#proof li")
    await expect(proof).to_have_count(4)
    assert await proof.evaluate_all("all => all.map((one) => one.dataset.ok)") == ["true"] * 4

    await page.click("#share")
    link = await page.locator("#sharelink").input_value()
    other, also = await opened(browser, link)
    await expect(other.locator("#replay .board")).to_be_visible(timeout=READY_MS)
    await other.select_option("#eyes", "-2")
    await expect(other.locator("#cards")).to_have_count(0)
    await other.click("#verify")
    told = other.locator("#proof li")
    await expect(told).to_have_count(4)
    shown = await told.evaluate_all("all => all.map((one) => one.dataset.ok)")
    assert shown == ["null", "true", "null", "true"], "it was not there before the hand"
    assert wrong == also == []
    for one in (page, other):
        await one.context.close()


async def test_what_is_no_record_is_refused(browser: Browser, hall: PageHall) -> None:
    page, _ = await opened(browser, hall.pages[0])
    good = packed(recorded("doudizhu"))
    script = """([body, query]) => fetch(`replay${query}`, { method: "POST",
      headers: { "Content-Type": "application/octet-stream" }, body: Uint8Array.from(body) })
      .then((answer) => answer.status)"""
    for body, query, status in (
        (good, "?seat=0", 200),
        (good, "?seat=9", 409),
        (good, "?seat=x", 400),
        (good[:-40], "?seat=0", 409),
        (b"nonsense", "?seat=0", 409),
        (b"x" * 40_000, "?seat=0", 400),
    ):
        assert await page.evaluate(script, [list(body), query]) == status, (body[:20], query)
    await page.context.close()
