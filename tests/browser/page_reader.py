"""Opens pages and writes down what is wrong with them: axe-core in the views where each rule can tell, and our own audit."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.requirements import NODE_MODULES

AUDIT = (Path(__file__).parent / "page_audit.js").read_text()
AXE = NODE_MODULES / "axe-core" / "axe.min.js"
NOT_ASKED = ["color-contrast-enhanced", "p-as-heading"]
"""Level AAA, where the site promises AA; and a guess at headings by their looks, which takes large figures for some."""
RUN_AXE = """async (rules) => {
  const asked = rules.length ? { runOnly: { type: "rule", values: rules } } : { runOnly: { type: "tag", values: axe.getRules()
    .flatMap((rule) => rule.tags) }, rules: Object.fromEntries(%s.map((rule) => [rule, { enabled: false }])) };
  const found = await axe.run(document, { ...asked, resultTypes: ["violations"] });
  return found.violations.flatMap((rule) => rule.nodes.map((node) =>
    `${rule.id}: ${rule.help}: ${node.target.join(" ")} ${node.failureSummary.replace(/\\s+/g, " ").slice(0, 240)}`));
}""" % str(NOT_ASKED)  # noqa: UP031 - braces of JavaScript
OPEN_ALL = "document.querySelectorAll('details').forEach((details) => { details.open = true; })"
VARYING = re.compile(r"[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9]{60,}|\d+")


@dataclass(frozen=True)
class View:
    width: int
    height: int
    scheme: str
    rules: tuple[str, ...] | None
    """Of axe; an empty tuple: all of them. None: only our own audit."""


VIEWS = [
    View(1280, 800, "light", ()),
    View(1280, 800, "dark", ("color-contrast",)),
    View(390, 800, "dark", None),
    View(320, 256, "light", ("target-size",)),
]
"""320 x 256 is a window of 1280 x 1024 at 400 %."""


class Reader:
    """A page that looks the same for another role, but for numbers and keys, is looked at once."""

    looked_at: set[str] = set()

    def __init__(self, page: Any, root: str) -> None:
        self.page, self.root = page, root
        self.faults: set[str] = set()
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

    def look(self) -> None:
        self.page.wait_for_selector(".htmx-request", state="detached")
        content = VARYING.sub("#", self.page.locator("main").evaluate("(main) => document.title + main.outerHTML"))
        if content in self.looked_at:
            return
        self.looked_at.add(content)
        where = self.page.url.removeprefix(self.root)
        for view in VIEWS:
            self._change_to(view)
            found = self.page.evaluate(AUDIT)
            if view.rules is not None:
                found += self.page.evaluate(RUN_AXE, list(view.rules))
            self.faults |= {f"{where} {view.width} {view.scheme}: {fault}" for fault in found}

    def _change_to(self, view: View) -> None:
        if view.rules == ():
            self.page.evaluate(OPEN_ALL)
        if view.scheme != self.view.scheme:
            self.page.emulate_media(color_scheme=view.scheme, reduced_motion="reduce")
        if (view.width, view.height) != (self.view.width, self.view.height):
            self.page.set_viewport_size({"width": view.width, "height": view.height})
        self.view = view

    def send_empty(self, address: str) -> None:
        """The form with nothing in it, past the browser's own check."""
        self.page.goto(self.root + address)
        with self.page.expect_navigation():
            self.page.evaluate("document.querySelector('main form[method=post]').submit()")
        assert self.page.locator("main [aria-invalid=true]").count(), f"{address} takes an empty form"
        assert self.page.evaluate("document.activeElement.matches('.error-summary')"), f"{address}: the focus is lost"
        self.look()
