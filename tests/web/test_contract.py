"""The contract of a view, held against every package: docs/contracts/views.md.

One hand of each game, seen from a seat and by a spectator: what is drawn depends on the last
board alone; nothing is asked for outside the package's folder; nothing runs out of the page on
a phone, a lying phone and a desk; every word is there in both languages; axe finds nothing.

Budget: 40 s.
"""

from __future__ import annotations

from typing import Any

import pytest
from playwright.async_api import ConsoleMessage, Page

from hall_client.web.catalogue import Catalogue
from paiju.rules.api import SPECTATOR
from tests.web.recorded import GAMES, REGISTRY, boards
from tests.web.stage import compare, mount, show
from tests.web.test_accessible import violations
from tests.web.test_games import DESK, LYING_PHONE, OVERFLOW, PHONE

pytestmark = pytest.mark.asyncio(loop_scope="session")
VIEWPORTS = (PHONE, LYING_PHONE, DESK)
MOUNTED_MS = 300
SLOWNESS = 4
"""The machine of a test is shared: so much longer is still no mistake of a view."""


def url_of(name: str, packages: dict[str, Any]) -> str:
    return str(packages[REGISTRY.package_of(name)]["view"])


@pytest.fixture(scope="session")
def packages() -> dict[str, Any]:
    return Catalogue(REGISTRY).packages()


def moments(views: list[dict[str, Any]]) -> list[int]:
    """The boards to look at: the seat's first turn, the middle, the end."""
    acts = (n for n, view in enumerate(views) if view["@you"] in view.get("to_act", []))
    return [next(acts, 0), len(views) // 2, len(views) - 1]


@pytest.mark.parametrize("name", GAMES)
async def test_a_view_keeps_the_contract(files: Page, packages: dict[str, Any], name: str) -> None:
    url = url_of(name, packages)
    asked: list[str] = []
    wrong: list[str] = []
    files.on("request", lambda request: asked.append(request.url))
    files.on("pageerror", lambda error: wrong.append(str(error)))
    files.on("console", lambda said: wrong.append(said.text) if counts(said) else None)
    for seat, locale in ((0, "zh"), (SPECTATOR, "en")):
        views = boards(name, seat)
        mode = "play" if seat >= 0 else "spectate"
        await files.set_viewport_size(PHONE)
        told = await mount(files, url, views, locale=locale, mode=mode)
        assert told["api"] == 1
        assert told["ms"] < MOUNTED_MS * SLOWNESS
        for at in moments(views):
            await show(files, at)
            for viewport in VIEWPORTS:
                await files.set_viewport_size(viewport)
                assert await files.evaluate(OVERFLOW) <= 0, (seat, at, viewport)
                assert await files.evaluate(CUT_OFF) == [], (seat, at, viewport)
            text = await files.inner_text(".game-view")
            assert "undefined" not in text and "NaN" not in text and "[object" not in text
        assert await violations(files) == [], seat
        drawn = await compare(files)
        assert drawn["walked"] == drawn["jumped"], seat
        assert drawn["walked"] and drawn["left"] == ""
    folder = f"/p/{REGISTRY.package_of(name)}/"
    assert not [one for one in asked if folder not in one and not own(one)], asked
    assert wrong == []


def counts(said: ConsoleMessage) -> bool:
    """Errors; but the page of `files` has no hall, and may ask for it while a view is looked at."""
    return said.type == "error" and not said.location["url"].endswith("/hall.json")


def own(url: str) -> bool:
    """The page's own files."""
    return "/a/" in url or url.endswith("/words.json")


CUT_OFF = """[...document.querySelectorAll("#verbs button, .seat, #cards button")].filter((one) => {
  const box = one.getBoundingClientRect();
  return box.left < -1 || box.right > innerWidth + 1;
}).map((one) => one.outerHTML.slice(0, 80))"""
"""What stands partly beside the screen."""
