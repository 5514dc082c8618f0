import os
import subprocess
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from runpool.demo.serve import Servers, require_free_port, run_until_interrupted, sole_user_of

WELCOME = """
  Runpool is at  http://127.0.0.1:{port}/

  Sign in as     organiser      runs the campaign
                 participant    is a member of team Alba
                 assessor       has two topics left to judge
                 reader         sees what everybody sees
  Password       {password}

  Data           {data}
  Logs           {data}/logs
  Stop           Ctrl-C
"""


class Command(BaseCommand):
    help = "Start the whole product on this machine with the demo campaign."
    what = "demo"

    requires_system_checks = ()  # migrate checks what the start needs; make check does the rest

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--port", type=int, default=8000, help="port of the site (default: 8000)")

    def handle(self, *args: Any, port: int, **options: Any) -> None:
        try:
            require_free_port(port, self.what)
            with sole_user_of(Path(settings.DATA_DIR), self.what) as self.lock:
                settings.SITE_URL = os.environ.setdefault("RUNPOOL_SITE_URL", f"http://127.0.0.1:{port}")
                self.prepare()
                self.fill()
                servers = Servers(port=port, log_folder=Path(settings.DATA_DIR) / "logs")
                run_until_interrupted(servers, lambda: self.welcome(port), self.tell_restart)
        except RuntimeError as problem:
            raise CommandError(str(problem)) from problem
        except KeyboardInterrupt:
            raise CommandError("Stopped before the start. The next one goes on where this one ended.") from None
        self.stdout.write("Stopped.")

    def tell_restart(self, name: str) -> None:
        self.stdout.write(f"The {name} process ended and was started again: see {settings.DATA_DIR}/logs/{name}.log")
        self.stdout.flush()

    def prepare(self) -> None:
        call_command("migrate", verbosity=0, interactive=False)
        call_command("collectstatic", verbosity=0, interactive=False)

    def fill(self) -> None:
        """By a process that ends, since this one would keep 200 MB. It holds the lock too, for it may outlive this one."""
        words = [sys.executable, "-m", "django", "load_demo"]
        if subprocess.run(words, pass_fds=[self.lock.fileno()], check=False).returncode:  # noqa: S603 - our own
            raise CommandError("The demo campaign could not be loaded.")

    def welcome(self, port: int) -> None:
        from runpool.demo.load import PASSWORD

        self.stdout.write(WELCOME.format(port=port, password=PASSWORD, data=settings.DATA_DIR))
        self.stdout.flush()
        sys.stdout.flush()
