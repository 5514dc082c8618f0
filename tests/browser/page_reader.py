"""Opens pages and writes down what is wrong with them: axe-core in the views where each rule can tell, and our own audit."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.requirements import NODE_MODULES

AUDIT = (Path(__file__).parent / "page_audit.js").read_text()
LOOKS = (Path(__file__).parent / "page_looks.js").read_text()
AXE = NODE_MODULES / "axe-core" / "axe.min.js"
NOT_ASKED = ["color-contrast-enhanced", "p-as-heading"]
"""Level AAA, where the site promises AA; and a guess at headings by their looks, which takes large figures for some."""
RUN_AXE = """async ([rules, preload, known]) => {
  const looks = (%s)(known);
  axe.configure({ rules: [{ id: "color-contrast", selector: "[data-look]" }] });
  const asked = rules.length ? { runOnly: { type: "rule", values: rules } } : { runOnly: { type: "tag", values: axe.getRules()
    .flatMap((rule) => rule.tags) }, rules: Object.fromEntries(%s.map((rule) => [rule, { enabled: false }])) };
  const stuck = [...document.querySelectorAll("body *")].filter((one) => getComputedStyle(one).position === "sticky");
  stuck.forEach((one) => { one.style.position = "relative"; });
  const found = await axe.run(document, { ...asked, preload, resultTypes: ["violations"] });
  stuck.forEach((one) => { one.style.removeProperty("position"); });
  document.querySelectorAll("[data-look]").forEach((one) => { delete one.dataset.look; });
  const faults = found.violations.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id}: ${rule.help}: ${node.target.join(" ")} ${node.failureSummary.replace(/\\s+/g, " ").slice(0, 240)}`));
  return { faults, looks };
}""" % (LOOKS, NOT_ASKED)  # noqa: UP031 - braces of JavaScript
"""Contrast is asked of a few elements of each look: of all, it took as long as every other rule together.

A bar that sticks to the window's edge rests in its place: what it covers depends on how far the reader has scrolled.
"""
OPEN_ALL = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"
STYLES = "[...document.styleSheets].map((sheet) => sheet.href).join()"
KINDS = """() => {
  const told = ({ name, value }) => ["class", "role", "type"].includes(name) ? `[${name}=${value}]`
    : /^(aria-|data-|disabled|hidden|open|tabindex)/.test(name) ? `[${name}]` : "";
  const kind = (one) => one.localName + [...one.attributes].map(told).sort().join("");
  const path = (one, length) => one && length ? `${path(one.parentElement, length - 1)}>${kind(one)}` : "";
  return [...new Set([...document.querySelectorAll("body *")].map((one) => path(one, 4)))];
}"""
"""The kinds of elements of a page: tag, class, role and states of each and of three around it."""
VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9]{60,}|\d+")


def as_seen(page: str) -> str:
    """The content of a page without numbers and keys, which differ between pages that look the same."""
    return VARYING.sub("#", page.partition("<main")[2])


@dataclass(frozen=True)
class View:
    width: int
    height: int
    scheme: str
    rules: tuple[str, ...]
    """Of axe; none: all of them."""


VIEWS = [View(1280, 800, "light", ()), View(320, 256, "dark", ("color-contrast", "target-size"))]
"""320 x 256 is a window of 1280 x 1024 at 400 %."""


class Reader:
    """Asks axe of pages with elements of a kind that no page before had; what pages owe as a whole, of all of them.

    What only a whole page can have wrong in its HTML, as two landmarks of one name, html-validate finds in the bytes of each.
    """

    def __init__(self, page: Any, root: str) -> None:
        self.page, self.root = page, root
        self.faults: set[str] = set()
        self.kinds: set[str] = set()
        self.styles: set[str] = set()
        self.looks: dict[View, list[str]] = {view: [] for view in VIEWS}
        self.view = VIEWS[0]
        page.add_init_script(path=AXE)
        page.on("console", self._hear)

    def _hear(self, message: Any) -> None:
        told_by_status = message.location.get("url") == self.page.url and "status of 4" in message.text
        if message.type in {"error", "warning"} and not told_by_status:
            self.faults.add(f"{self.page.url}: console: {message.text}")

    def read(self, address: str) -> None:
        self.page.goto(self.root + address)
        self.look()

    def read_sent(self, address: str, status: int, headers: dict[str, str], html: str) -> None:
        """The page as it was sent before; what it asks for comes from the server."""

        def answer(route: Any) -> None:
            route.fulfill(status=status, headers=headers, body=html)

        self.page.route(self.root + address, answer, times=1)
        self.read(address)

    def look(self) -> None:
        self.page.wait_for_selector(".htmx-request", state="detached")
        self.page.evaluate(OPEN_ALL)
        kinds, styles = set(self.page.evaluate(KINDS)), self.page.evaluate(STYLES)
        is_new, loads_styles = not kinds <= self.kinds, styles not in self.styles
        self.kinds |= kinds
        self.styles.add(styles)
        where = self.page.url.removeprefix(self.root)
        for view in VIEWS if is_new else VIEWS[-1:]:
            self._change_to(view)
            found = self.page.evaluate(AUDIT)
            if is_new:
                told = self.page.evaluate(RUN_AXE, [list(view.rules), loads_styles, self.looks[view]])
                self.looks[view] += told["looks"]
                found += told["faults"]
            self.faults |= {f"{where} {view.width} {view.scheme}: {fault}" for fault in found}

    def _change_to(self, view: View) -> None:
        if view.scheme != self.view.scheme:
            self.page.emulate_media(color_scheme=view.scheme, reduced_motion="reduce")
        if (view.width, view.height) != (self.view.width, self.view.height):
            self.page.set_viewport_size({"width": view.width, "height": view.height})
        self.view = view
