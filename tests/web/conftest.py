"""A hall with its page, and the system's Chromium."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
import uvicorn
from playwright.async_api import Browser, Page, async_playwright

from hall_client.web import certificate
from hall_client.web.app import make_app
from paiju.wire.server_keys import encode
from tests.integration.hall_client.mini_hall import MiniHall

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or ""


class PageHall(MiniHall):
    """A MiniHall with the web hall in front; `pages` are its addresses, http first."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.pages: list[str] = []
        self.folder = folder

    async def __aenter__(self) -> PageHall:
        await super().__aenter__()
        try:
            await self._start_page()
        except BaseException:
            await self.__aexit__()
            raise
        return self

    async def _start_page(self) -> None:
        told = {
            "pid": os.getpid(),
            "gateways": self.gateways,
            "web_gateways": self.web_gateways,
            "server_keys": [encode(key) for key in self.server_keys],
        }
        (self.folder / "hall.json").write_text(json.dumps(told))
        certified, key = certificate.ensure(self.folder)
        environment = {
            "PAIJU_DATA_DIR": str(self.folder),
            "PAIJU_WEB_TLS_LISTEN": "127.0.0.1:0",
            "PAIJU_WEB_ROBOTS_THINK_S": "0.05",
            "PAIJU_WEB_ROBOTS": "60",
            "PAIJU_TLS_CERTIFICATE": str(certified),
            "PAIJU_TLS_KEY": str(key),
        }
        await self._start("web", "-m", "hall_client.web", env=environment)
        state = self.folder / "web.json"
        await self._until(state.exists)
        self.pages = list(json.loads(state.read_text())["pages"])


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def hall(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[PageHall]:
    async with PageHall(tmp_path_factory.mktemp("hall")) as made:
        yield made


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def browser() -> AsyncIterator[Browser]:
    assert CHROMIUM, "Chromium is needed: apt-get install chromium"
    async with async_playwright() as playwright:
        made = await playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
        )
        yield made
        await made.close()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def site() -> AsyncIterator[str]:
    """The page's files without a hall behind them."""
    config = uvicorn.Config(
        make_app(lambda: None, lambda: None), port=0, log_config=None, lifespan="off"
    )
    server = uvicorn.Server(config)
    serving = asyncio.create_task(server.serve())
    while not server.started:  # noqa: ASYNC110
        await asyncio.sleep(0.01)
    (port,) = {sock.getsockname()[1] for part in server.servers for sock in part.sockets}
    yield f"http://127.0.0.1:{port}/"
    server.should_exit = True
    await serving


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def files(browser: Browser, site: str) -> AsyncIterator[Page]:
    """A page that says that no hall is running: its modules can be imported."""
    context = await browser.new_context()
    page = await context.new_page()
    await page.goto(site)
    yield page
    await context.close()
