"""Where templates and static files lie: at the top of a checkout, beside this module in an installed wheel."""

from pathlib import Path

PACKAGES = Path(__file__).resolve().parents[1]
"""The folder that holds the apps: the checkout, or site-packages."""
SHIPPED = Path(__file__).resolve().parent / "shipped"
"""pyproject.toml puts the folders there when it makes the wheel."""
IS_WHEEL = SHIPPED.is_dir()
HELD_BY = SHIPPED if IS_WHEEL else PACKAGES
TEMPLATES, STATIC = HELD_BY / "templates", HELD_BY / "static"
DATA = (Path.cwd() if IS_WHEEL else PACKAGES) / "data"
"""Unless RUNPOOL_DATA_DIR names another. Nobody looks for the data of a site among installed packages."""


def start_command(*, port: int | None = None, data: str = "", what: str = "demo") -> str:
    """How the demo, or a site, is started here with another port, or other data."""
    if IS_WHEEL:
        return (f"RUNPOOL_DATA_DIR={data} " if data else "") + f"runpool {what}" + (f" --port {port}" if port else "")
    return f"make {what}" + (f" PORT={port}" if port else "") + (f" RUNPOOL_DATA_DIR={data}" if data else "")
