"""Draws docs/architecture.svg from the folders of the product and the import contracts: python -m tests.architecture_drawing."""

from collections.abc import Iterator
from html import escape

from tests.places import REPOSITORY
from tests.pure_code import PURE

DRAWING = REPOSITORY / "docs/architecture.svg"
ABOUT = {
    "runpool": "the site, which knows all apps",
    "evaluation": "what the runs are worth",
    "judging": "judgments, and the qrels made from them",
    "pooling": "which documents are worth judging",
    "campaign": "who takes part, on what, until when; runs come in here",
}
NOT_DRAWN = {"__pycache__", "migrations", "management", "templatetags", "views", "selectors", "services", "api"}
"""Every app has some of these, as the contract “Inside a room” orders them."""
WIDTH, PAD, LINE, BAND_GAP = 960, 16, 34, 26
CHARACTER = 7.4
"""Pixels of a character of a monospace font of 12 pixels, rounded up."""
STYLE = """
text { font: 12px ui-monospace, monospace; fill: #1b1f24 }
.app { font-weight: bold; font-size: 15px }
.about { font-family: system-ui, sans-serif; fill: #57606a }
.band { fill: #f6f8fa; stroke: #afb8c1 }
.folder { fill: #fff; stroke: #afb8c1 }
.pure { fill: #ddf4ff; stroke: #54aeff }
"""


def packages(app: str) -> list[str]:
    folders = (path for path in (REPOSITORY / app).iterdir() if (path / "__init__.py").is_file())
    return sorted(path.name for path in folders if path.name not in NOT_DRAWN)


def drawing() -> str:
    bands = list(_bands())
    height = bands[-1][1] + PAD if bands else PAD
    size = f'width="{WIDTH}" height="{height}"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" {size} viewBox="0 0 {WIDTH} {height}" role="img">',
            "<title>The five parts of Runpool, and which may import which</title>",
            f"<style>{STYLE}</style>",
            f'<rect {size} fill="#fff"/>',
            *(shape for band, _ in bands for shape in band),
            "</svg>\n",
        ]
    )


def _bands() -> Iterator[tuple[list[str], int]]:
    """The shapes of each app, and where it ends."""
    top = PAD
    for number, app in enumerate(ABOUT):
        shapes, x, y = [], PAD * 2, top + 40
        for name in packages(app):
            width = round(len(name) * CHARACTER) + 20
            if x + width > WIDTH - PAD * 2:
                x, y = PAD * 2, y + LINE
            kind = "folder pure" if f"{app}.{name}" in PURE else "folder"
            shapes.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="26" rx="4"/>')
            shapes.append(f'<text x="{x + 10}" y="{y + 17}">{escape(name)}</text>')
            x += width + 8
        bottom = y + LINE + 4
        band = f'<rect class="band" x="{PAD}" y="{top}" width="{WIDTH - 2 * PAD}" height="{bottom - top}" rx="8"/>'
        title = f'<text class="app" x="{PAD * 2}" y="{top + 25}">{app}/</text>'
        about = f'<text class="about" x="{PAD * 2 + 120}" y="{top + 25}">{escape(ABOUT[app])}</text>'
        arrow = [f'<text class="about" x="{PAD * 2}" y="{top - 8}">▼ imports</text>'] if number else []
        yield [*arrow, band, title, about, *shapes], bottom
        top = bottom + BAND_GAP


if __name__ == "__main__":
    DRAWING.write_text(drawing(), encoding="utf-8")
