"""What HTML's own rules hold against the bytes of pages. A browser mends what it reads, so that it cannot tell."""

import json
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.requirements import BROWSER, NODE_MODULES, lacking

CHECKER = NODE_MODULES / "html-validate" / "bin" / "html-validate.mjs"
RULES = Path(__file__).parent / "html_rules.json"


def html_faults(pages: Mapping[str, str], folder: Path) -> list[str]:
    """What html-validate says of the pages, all of them in one process. They become files of the folder."""
    if not CHECKER.exists():
        lacking(BROWSER)
    for number, (name, page) in enumerate(pages.items()):
        (folder / f"{number} {name.replace('/', '|')[:190]}.html").write_text(page)
    node = Path(sys.prefix) / "bin" / "node"
    command = [node, CHECKER, "--config", RULES, "--formatter", "json", *sorted(folder.glob("*.html"))]
    answer = folder / "answer.json"  # the checker ends before a slow reader of a pipe has got all of it
    with answer.open("wb") as out:
        subprocess.run(command, stdout=out, stderr=subprocess.PIPE, check=False)
    told: list[dict[str, Any]] = json.loads(answer.read_text())
    return [
        f"{Path(one['filePath']).name} line {fault['line']}: {fault['ruleId']}: {fault['message']} {fault['selector']}"
        for one in told
        for fault in one["messages"]
    ]
