"""Client parts from any web server: the page takes what was published and nothing else.

Budget: 30 s.
"""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.async_api import Browser, Page, Route, expect
from typer.testing import CliRunner

from paiju.cli.package import app
from tests.web.conftest import PageHall
from tests.web.person import connected, opened, seated

pytestmark = pytest.mark.asyncio(loop_scope="session")
EVIL = b"globalThis.evil = true; export { default } from '@hall/kit';"


class OtherServer:
    """Serves `/p/` from an exported folder. spoiled: names of files whose bytes it changes."""

    def __init__(self, folder: Path, *spoiled: str) -> None:
        self.folder = folder
        self.spoiled = spoiled
        self.asked: list[str] = []

    async def answer(self, route: Route) -> None:
        path = urlsplit(route.request.url).path.lstrip("/")
        self.asked.append(path)
        file = self.folder / path
        if not file.is_file():
            await route.fulfill(status=404)
            return
        kind = "text/javascript" if path.endswith(".js") else "text/markdown; charset=utf-8"
        body = EVIL if file.name in self.spoiled else file.read_bytes()
        await route.fulfill(body=body, content_type=kind)


@pytest.fixture(scope="module")
def exported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("www")
    done = CliRunner().invoke(app, ["export", str(folder), "--json", "-"])
    assert done.exit_code == 0, done.output
    listed = json.loads(done.stdout)["files"]
    found = {p.relative_to(folder).as_posix() for p in folder.rglob("*") if p.is_file()}
    assert found == listed.keys() and len(found) > 20
    assert not [name for name in found if name.endswith((".py", ".jsonl", ".toml"))]
    again = CliRunner().invoke(app, ["export", str(folder), "--json", "-"])
    assert json.loads(again.stdout)["files"] == listed, "names are for ever"
    return folder


async def at_a_table(
    browser: Browser, hall: PageHall, server: OtherServer
) -> tuple[Page, list[str]]:
    page, wrong = await opened(browser, "about:blank")
    await page.route("**/p/**", server.answer)
    await page.goto(hall.pages[0])
    await connected(page)
    await seated(page, "doudizhu.novice")
    return page, wrong


async def gone(page: Page) -> None:
    """Nobody keeps a seat that others in this hall wait for."""
    await page.click("#leave")
    await page.click("#go")
    await expect(page.locator("#table")).to_have_count(0)
    await page.context.close()


async def test_the_page_loads_what_was_exported_by_its_hash(
    browser: Browser, hall: PageHall, exported: Path
) -> None:
    server = OtherServer(exported)
    page, wrong = await at_a_table(browser, hall, server)
    (view,) = {path for path in server.asked if path.endswith("/view.js")}
    assert (exported / view).is_file()
    links = await page.eval_on_selector_all(
        "link[rel=modulepreload][integrity]",
        "links => links.map((link) => [link.href, link.integrity])",
    )
    assert [(urlsplit(href).path.lstrip("/"), kind[:7]) for href, kind in links] == [
        (view, "sha256-")
    ]
    await page.click("#help")
    await expect(page.locator(".prose p").first).to_be_visible()
    assert [path for path in server.asked if path.endswith("/help.en.md")]
    assert wrong == []
    await gone(page)


async def test_a_server_that_changes_a_file_is_not_believed(
    browser: Browser, hall: PageHall, exported: Path
) -> None:
    server = OtherServer(exported, "view.js", "help.en.md")
    page, wrong = await at_a_table(browser, hall, server)  # the plain board is there
    assert await page.evaluate("globalThis.evil") is None, "nothing of it has run"
    await page.click("#help")
    await page.wait_for_timeout(300)
    assert "globalThis" not in await page.inner_text(".prose")
    assert wrong and all("digest" in said or "integrity" in said for said in wrong), wrong
    await gone(page)
