"""The site: what knows all apps. Nothing of them is imported here, since files are scored without Django."""

import sys
from importlib.util import find_spec
from pathlib import Path

REFUSED = 3
"""Gunicorn ends with its first worker that ends so; for other statuses it starts workers for ever."""


def _refuse_others_packages() -> None:
    """The apps are packages of their own in the environment, and their names are not rare: another one may be found first."""
    own = Path(__file__).resolve().parent.parent
    for name in ("campaign", "pooling", "judging", "evaluation"):
        spec = find_spec(name)
        where = Path(spec.origin).resolve().parent if spec and spec.origin else None
        if where != own / name:
            found = f"{where} is another package than" if where else "The environment lacks"
            sys.stderr.write(
                f"error: {found} Runpool's own “{name}”. Install Runpool into an environment of its own, and see that PYTHONPATH "
                "and the folder of the command hold no other package of this name.\n"
            )
            raise SystemExit(REFUSED)


_refuse_others_packages()
