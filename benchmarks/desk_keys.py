"""From a key at the desk to the next document painted: `python -m benchmarks.desk_keys FOLDER --port 8121`
with RUNPOOL_DATABASE_URL and TEST_REDIS_URL (see benchmarks/README.md).

Starts a site as docs/guide/operator.md sets it up, on a database of its own, with a worker, and judges in Chromium, one press
after the other. Prints median and p95 in ms for each length of text, and exits with 1 if a target is missed.
"""

import argparse
import contextlib
import json
import os
import statistics
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from benchmarks.load_database import own_database
from benchmarks.load_processes import Processes

TARGETS = {5_000: 50.0, 200_000: 100.0}
"""Characters of a text to milliseconds in the 95th of 100 presses."""
CHROMIUM = ("/usr/bin/chromium-headless-shell", "/usr/bin/chromium")
WATCH = """
addEventListener("keydown", (event) => { if (/^\\d$/.test(event.key)) globalThis.pressed = event.timeStamp; }, { capture: true });
globalThis.times = [];
addEventListener("DOMContentLoaded", () => {
  const painted = new MessageChannel();
  painted.port1.onmessage = () => globalThis.times.push(performance.now() - globalThis.pressed);
  new MutationObserver(() => {
    if (globalThis.pressed) requestAnimationFrame(() => painted.port2.postMessage(null));
  }).observe(document.getElementById("document"), { childList: true });
});
"""
"""A frame is painted before the message that its callback has sent arrives."""


def main() -> int:
    asked = _arguments()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database, contextlib.ExitStack() as ending:
        processes = Processes(folder, asked.port, database, os.environ["TEST_REDIS_URL"])
        site = processes.prepare("benchmarks.desk_site", asked.documents, *TARGETS)
        ending.callback(processes.stop)
        processes.start()
        found = _measured(asked, site)
    found["load_average"] = list(os.getloadavg())
    print(json.dumps(found, indent=2))
    return 0 if found["met"] else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.desk_keys")
    parser.add_argument("folder", type=Path, help="for data and logs; made if need be")
    parser.add_argument("--port", type=int, default=8121, help="pages; uploads take the next one")
    parser.add_argument("--documents", type=int, default=201, help="of each length; one press less")
    parser.add_argument(
        "--pause", type=int, default=400, help="ms between two presses, as long as a quick assessor needs"
    )
    return parser.parse_args()


def _measured(asked: argparse.Namespace, site: dict[str, Any]) -> dict[str, Any]:
    results: dict[str, Any] = {"met": True, "texts": {}}
    with sync_playwright() as playwright:
        executable = next((path for path in CHROMIUM if Path(path).exists()), None)
        browser = playwright.chromium.launch(executable_path=executable)
        for length, address in site["desks"].items():
            times = _judged(browser.new_page(), asked, site["session"], address)
            p95 = statistics.quantiles(times, n=20)[-1]
            results["texts"][length] = {
                "presses": len(times), "median": round(statistics.median(times), 1), "p95": round(p95, 1),
                "longest": round(max(times), 1), "target": TARGETS[int(length)],
            }  # fmt: skip
            results["met"] = results["met"] and p95 < TARGETS[int(length)]
        browser.close()
    return results


def _judged(page: Page, asked: argparse.Namespace, session: str, address: str) -> list[float]:
    root = f"http://127.0.0.1:{asked.port}"
    page.context.add_cookies([{"name": "sessionid", "value": session, "url": root}])
    page.add_init_script(WATCH)
    page.goto(root + address)
    page.wait_for_selector("html[data-desk=ready]")
    for press in range(asked.documents - 1):
        page.wait_for_timeout(asked.pause)
        page.keyboard.press(str(1 + press % 2))
        page.wait_for_function("(count) => globalThis.times.length === count", arg=press + 1)
    times: list[float] = page.evaluate("globalThis.times")
    page.context.close()
    return times


if __name__ == "__main__":
    sys.exit(main())
