"""The client as one file, for machines without this program."""

from __future__ import annotations

from pathlib import Path

from campaign.formats.one_file import joined_code, joined_imports

CAMPAIGN = Path(__file__).parents[2] / "campaign"
PARTS = (
    *(
        CAMPAIGN / part
        for part in ("text/terminal.py", "formats/problems.py", "formats/encodings.py", "formats/source.py")
    ),
    *(Path(__file__).with_name(name) for name in ("commands.py", "site.py", "printing.py", "program.py")),
)
"""In the order of their imports."""
HEAD = """#!/usr/bin/env python3
# The client of Runpool: a campaign from another machine, every operation of the API as a command.
# It needs Python 3.9 or newer and nothing else.
#
#     export RUNPOOL_SITE={site}
#     export RUNPOOL_TOKEN=rp_...      (from the page {site}/account/tokens/)
#     python runpool.py --help
"""


def client_file(site: str) -> str:
    """The source of the program; `site`: the address that its head shows."""
    body = [joined_imports(PARTS), joined_code(PARTS), 'if __name__ == "__main__":\n    sys.exit(main(sys.argv[1:]))\n']
    return "\n".join([HEAD.format(site=site), "from __future__ import annotations\n", *body])
