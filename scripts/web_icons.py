"""Draw the installed page's icons from icon.svg, with the system's Chromium: run by hand."""

from __future__ import annotations

import shutil
from pathlib import Path

from playwright.sync_api import sync_playwright

WEBAPP = Path(__file__).resolve().parent.parent / "hall_client" / "webapp"
SIZES = {"192.png": (192, 1.0), "512.png": (512, 1.0), "maskable.png": (512, 0.72)}
"""Side in pixels, and how much of it the drawing takes: masks cut off the rim."""


def main() -> None:
    svg = (WEBAPP / "icon.svg").read_text("utf-8")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for name, (side, share) in SIZES.items():
            page = browser.new_page(viewport={"width": side, "height": side})
            ground = "#0f2a26" if share < 1 else "transparent"
            page.set_content(
                f"<style>body{{margin:0;height:100vh;display:grid;place-items:center;"
                f"background:{ground}}}svg{{width:{100 * share}vmin}}</style>{svg}"
            )
            page.screenshot(path=WEBAPP / "icons" / name, omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
