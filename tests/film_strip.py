"""Photographs pages of the demo campaign for docs/images/: python -m tests.film_strip.

A strip is one page three times: light, dark, and on a phone. `product.png` is the desk above a board.
"""

import io
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, sync_playwright

from tests.browser.chromium import ARGUMENTS, CHROMIUM
from tests.places import REPOSITORY
from tests.sites import EMBEDDED, running_site

FOLDER = REPOSITORY / "docs/images"
BOARD = "/c/velo/everyday-cycling/leaderboard/1/"
STRIPS = {
    "board": BOARD,
    "compare": f"{BOARD}compare/?a=duna-manual&b=alba-bm25",
    "heatmap": f"{BOARD}heatmap/",
    "reliability": f"{BOARD}reliability/",
}
DESK = "/c/velo/everyday-cycling/judge/15/"
PASSWORD = "runpool-demo"
DESKTOP, PHONE = (1280, 800), (390, 844)
LOOKS = ((DESKTOP, "light"), (DESKTOP, "dark"), (PHONE, "light"))
HEIGHT, GAP, COLOURS = 560, 12, 128


def main() -> None:
    with tempfile.TemporaryDirectory() as folder, running_site(EMBEDDED, Path(folder)) as site:
        site.manage("load_demo")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=str(CHROMIUM), args=ARGUMENTS)
            for name, address in STRIPS.items():
                pictures = [_photographed(browser, site.url, address, size, scheme) for size, scheme in LOOKS]
                _write(name, _side_by_side([_of_height(picture) for picture in pictures]))
            parts = [
                _photographed(browser, site.url, address, (DESKTOP[0], height), "light", user)
                for address, height, user in ((DESK, 640, "assessor"), (BOARD, 760, ""))
            ]
            _write("product", _one_below_the_other(parts))
            browser.close()


def _photographed(
    browser: Browser, site: str, address: str, size: tuple[int, int], scheme: Any, user: str = ""
) -> Image.Image:
    """The first screen of a page; without a user as everybody sees it."""
    viewport: Any = {"width": size[0], "height": size[1]}
    with browser.new_context(viewport=viewport, color_scheme=scheme, reduced_motion="reduce") as context:
        page = context.new_page()
        if user:
            page.goto(f"{site}/account/login/")
            page.fill("[name=login]", user)
            page.fill("[name=password]", PASSWORD)
            page.click("main button[type=submit]")
            page.wait_for_url(f"{site}/")
        page.goto(site + address, wait_until="networkidle")
        return Image.open(io.BytesIO(page.screenshot())).convert("RGB")


def _of_height(picture: Image.Image) -> Image.Image:
    return picture.resize((round(picture.width * HEIGHT / picture.height), HEIGHT), Image.Resampling.LANCZOS)


def _side_by_side(pictures: list[Image.Image]) -> Image.Image:
    joined = Image.new("RGB", (sum(one.width + GAP for one in pictures) - GAP, HEIGHT), "white")
    for one, left in zip(pictures, _starts([one.width for one in pictures]), strict=True):
        joined.paste(one, (left, 0))
    return joined


def _one_below_the_other(pictures: list[Image.Image]) -> Image.Image:
    joined = Image.new("RGB", (pictures[0].width, sum(one.height + GAP for one in pictures) - GAP), "white")
    for one, top in zip(pictures, _starts([one.height for one in pictures]), strict=True):
        joined.paste(one, (0, top))
    return joined


def _starts(lengths: list[int]) -> Iterator[int]:
    start = 0
    for length in lengths:
        yield start
        start += length + GAP


def _write(name: str, picture: Image.Image) -> None:
    picture.quantize(COLOURS).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
