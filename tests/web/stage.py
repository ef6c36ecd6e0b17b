"""A view of a game on an empty page: mounted with what a table gives it, without any hall.

The page's own modules and styles are used; only `ctx` is the test's.
"""

from __future__ import annotations

from typing import Any

from playwright.async_api import Page

_MOUNT = """async ({ url, views, locale, mode }) => {
  const base = document.querySelector("script[src]").src.replace("app.js", "");
  const { signal } = await import("@hall/ui");
  const { Words } = await import(base + "kit/words.js");
  const { texts } = await import(base + "texts.js");
  const words = new Words(await fetch("words.json").then((answer) => answer.json()), locale);
  await (await import(base + "hall/views.js")).styled;
  const page = document.getElementById("page");
  page.innerHTML = '<header class="top"><h1>Paiju</h1></header>' +
    '<main class="table"><div class="bar"><h2>view</h2></div><p id="turn"></p>' +
    '<div class="game-view"></div></main>';
  document.documentElement.lang = locale;
  document.title = "view";
  const begun = performance.now();
  const { default: view } = await import(new URL(url, document.baseURI));
  const endsAt = performance.now() + 23_000;
  const clock = { seat: views[0].to_act?.[0] ?? 0, key: "play", endsAt, reserveMs: 0 };
  const live = signal({ away: [], clocks: mode === "play" ? [clock] : [] });
  const make = (element) => view.mount(element, {
    locale, words, mode, live, t: texts(locale),
    send: () => Promise.resolve(), hint: () => Promise.resolve(null),
  });
  const place = page.querySelector(".game-view");
  globalThis.staged = { make, place, views, instance: make(place) };
  staged.instance.update(views[0]);
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return { api: view.api, ms: performance.now() - begun };
}"""

_SHOW = """async (at) => {
  staged.instance.update(staged.views.at(at));
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
}"""

# Every board one after the other in the old element, the last alone in a new one.
_COMPARE = """async () => {
  // Names of tags, attributes in one order, texts; a running clock is only a clock.
  const told = (node) => {
    if (node.nodeType === Node.TEXT_NODE) return node.data;
    if (node.nodeType !== Node.ELEMENT_NODE) return "";
    const attributes = [...node.attributes].map(({ name, value }) => `${name}=${value}`).sort();
    const inside = node.matches(".clock") ? "" : [...node.childNodes].map(told).join("");
    return `<${node.localName} ${attributes.join(" ")}>${inside}</>`;
  };
  const drawn = (element) => [...element.childNodes].map(told).join("");
  const settled = () => new Promise((done) => requestAnimationFrame(() => setTimeout(done, 20)));
  for (const view of staged.views) staged.instance.update(view);
  await settled();
  const walked = drawn(staged.place);
  const fresh = document.createElement("div");
  fresh.className = "game-view";
  const instance = staged.make(fresh);
  instance.update(staged.views.at(-1));
  await settled();
  const jumped = drawn(fresh);
  instance.destroy();
  const left = fresh.innerHTML;
  return { walked, jumped, left };
}"""


async def mount(
    page: Page,
    url: str,
    views: list[dict[str, Any]],
    *,
    locale: str = "en",
    mode: str = "play",
) -> dict[str, Any]:
    """Import the view and show the first board; `{api, ms}`."""
    given = {"url": url, "views": views, "locale": locale, "mode": mode}
    told: dict[str, Any] = await page.evaluate(_MOUNT, given)
    return told


async def show(page: Page, at: int) -> None:
    await page.evaluate(_SHOW, at)


async def compare(page: Page) -> dict[str, str]:
    """What is drawn after all boards, and by a new instance that saw the last alone."""
    found: dict[str, str] = await page.evaluate(_COMPARE)
    return found
