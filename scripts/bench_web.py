"""What the page costs in Chromium: the first visit, and the frames of a deal.

    python scripts/bench_web.py --json -

First visit: requests, bytes and seconds until the games are shown, on the loopback and with
150 ms / 1.6 Mbit/s emulated. Deal: a trace of the board that gets 17 cards (Dou Dizhu) and 36
(Gouji); of each task of the page's main thread its length, and its script, style and layout.
Targets: no task over 50 ms, none with more than 8 ms of script, style and layout. Other work on
the machine moves single tasks by more than that: the medians of the rounds' worst tasks count.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.async_api import Browser, Page, async_playwright, expect

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from hall_client.web.catalogue import Catalogue  # noqa: E402
from tests.web.conftest import CHROMIUM, PageHall  # noqa: E402
from tests.web.recorded import REGISTRY, boards  # noqa: E402
from tests.web.stage import mount, show  # noqa: E402

TASK_MS, WORK_MS = 50.0, 8.0
GAMES = {"doudizhu": 17, "gouji": 36}
WORK = {"FunctionCall", "EvaluateScript", "RunMicrotasks", "UpdateLayoutTree", "Layout"}
SLOW = {"latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}


async def first_visit(browser: Browser, address: str, *, slow: bool) -> dict[str, float]:
    context = await browser.new_context()
    page = await context.new_page()
    sizes: list[tuple[str, int]] = []

    async def note(request: Any) -> None:
        sizes.append((request.url, (await request.sizes())["responseBodySize"]))

    page.on("requestfinished", note)
    if slow:
        session = await context.new_cdp_session(page)
        await session.send("Network.enable")
        await session.send("Network.emulateNetworkConditions", {"offline": False, **SLOW})
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await page.goto(address, wait_until="commit")
    await expect(page.locator(".game").first).to_be_visible(timeout=30_000)
    seconds = loop.time() - begun
    modules = [url for url, _ in sizes if url.endswith(".js")]
    found = {
        "seconds": round(seconds, 3),
        "modules": len(modules),
        "kB": round(sum(size for _, size in sizes) / 1000, 1),
    }
    await context.close()
    return found


async def deal(browser: Browser, page: Page, name: str) -> dict[str, float]:
    """The board before the deal, then the one with the whole hand, under a trace."""
    views = boards(name, 0)
    dealt = next(n for n, view in enumerate(views) if len(view.get("hand", [])) >= GAMES[name])
    url = Catalogue(REGISTRY).packages()[REGISTRY.package_of(name)]["view"]
    await mount(page, url, views, locale="zh")
    await browser.start_tracing(page=page, categories=["devtools.timeline", "toplevel"])
    await show(page, dealt)
    await page.wait_for_timeout(500)
    events = json.loads(await browser.stop_tracing())["traceEvents"]
    main = {
        (event["pid"], event["tid"])
        for event in events
        if event.get("name") == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    return worst([e for e in events if (e["pid"], e["tid"]) in main and e.get("ph") == "X"])


def worst(events: Iterable[dict[str, Any]]) -> dict[str, float]:
    """The longest task in ms, and the most script, style and layout in one of them."""
    spans = sorted((e["ts"], e["ts"] + e.get("dur", 0), e["name"]) for e in events)
    tasks = [(a, b) for a, b, name in spans if name.endswith("RunTask")]
    work: dict[tuple[int, int], float] = dict.fromkeys(tasks, 0.0)
    until = 0.0
    for begin, end, name in spans:
        if name not in WORK or end <= until:
            continue  # nested in one that was counted
        until = end
        for task in tasks:
            if task[0] <= begin < task[1]:
                work[task] += (end - begin) / 1000
                break
    return {
        "task_ms": round(max((b - a for a, b in tasks), default=0) / 1000, 1),
        "work_ms": round(max(work.values(), default=0.0), 1),
    }


async def measure(rounds: int) -> dict[str, Any]:
    out: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as data:
        async with async_playwright() as playwright, PageHall(Path(data)) as hall:
            browser = await playwright.chromium.launch(
                executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"]
            )
            for name, slow in (("loopback", False), ("150 ms, 1.6 Mbit/s", True)):
                visits = [
                    await first_visit(browser, hall.pages[0], slow=slow) for _ in range(rounds)
                ]
                seconds = statistics.median(visit["seconds"] for visit in visits)
                out[f"first visit, {name}"] = {**visits[-1], "seconds": round(seconds, 3)}
            page = await browser.new_page(viewport={"width": 390, "height": 844})
            await page.goto(hall.pages[0])
            for name in GAMES:
                found = [await deal(browser, page, name) for _ in range(rounds)]
                out[f"deal, {name}"] = {
                    key: round(statistics.median(one[key] for one in found), 1)
                    for key in ("task_ms", "work_ms")
                }
            await browser.close()
    return out


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--json", metavar="FILE")
    asked = parser.parse_args()
    found = asyncio.run(measure(asked.rounds))
    for name, values in found.items():
        line = ", ".join(f"{key} {value}" for key, value in values.items())
        print(f"{name:32} {line}", file=sys.stderr if asked.json == "-" else sys.stdout)
    if asked.json == "-":
        print(json.dumps(found))
    elif asked.json:
        Path(asked.json).write_text(json.dumps(found, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
