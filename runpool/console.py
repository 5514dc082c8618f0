"""The command `runpool` of the wheel: one name for everything that a checkout starts by `manage.py` and `python -m`."""

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from campaign.command.streams_and_signals import end_quietly
from campaign.text.terminal import escape_unencodable
from campaign.version import VERSION

OF_FILES = {
    **dict.fromkeys(("score", "compare", "reliability", "trust", "curves", "measures"), "evaluation.command.main"),
    **dict.fromkeys(("draw", "preview", "strategies", "simulate"), "pooling.command.main"),
}
"""Loaded by name: these apps come after this one, and scoring does without Django."""
OVERVIEW = """usage: runpool demo|site [--port PORT]
       runpool manage COMMAND [options]
       runpool score|compare|reliability|curves|measures [options] ...
       runpool draw|preview|strategies|simulate [options] ...
       runpool client [options] ...
       runpool --version

  demo      the whole product on this machine, with a campaign in it
  site      the same without a campaign; the first start asks for the first account
  manage    a site: what manage.py is in a checkout, such as migrate, backup, verify
  score     runs scored from files, as trec_eval, ndeval and gdeval do; compare, reliability, curves, measures beside it
  draw      a pool drawn from files, as the site does; preview, strategies, simulate beside it
  client    a campaign on another machine, by its API

`runpool COMMAND --help` explains the options. RUNPOOL_DATA_DIR names the folder of a site; without it, that is ./data.
"""


def main() -> int:
    """Run the command and give its exit status."""
    escape_unencodable()
    command, words = (sys.argv[1], sys.argv[2:]) if len(sys.argv) > 1 else ("", [])
    if command in OF_FILES:
        end_quietly()
        run: Callable[[Sequence[str]], int] = import_module(OF_FILES[command]).main
        return run([command, *words])
    if command == "client":
        of_client: Callable[[list[str]], int] = import_module("runpool.client.program").main
        return of_client(words)
    if command in ("demo", "site"):
        return _manage([f"runpool {command}", command, *words])
    if command == "manage":
        return _manage(["runpool manage", *words])
    return _about_itself(command)


def _about_itself(command: str) -> int:
    if command == "--version":
        sys.stdout.write(f"Runpool {VERSION}\n")
    elif command in ("-h", "--help", "help"):
        sys.stdout.write(OVERVIEW)
    else:
        problem = f"there is no command {command}." if command else "no command was given."
        sys.stderr.write(f"{OVERVIEW}\nrunpool: error: {problem}\n")
        return 2
    return 0


def _manage(argv: list[str]) -> int:
    from django.core.exceptions import ImproperlyConfigured

    from runpool.start import run_command

    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "runpool.settings")
    try:
        from runpool import env
    except ImproperlyConfigured as problem:
        sys.stderr.write(f"error: {problem}\n")
        return 1
    if "RUNPOOL_DATA_DIR" not in os.environ:  # the same command, started elsewhere, would be about another site
        sys.stderr.write(f"Data of the site: {env.DATA_DIR} (RUNPOOL_DATA_DIR is not set)\n")
    return run_command(argv)
