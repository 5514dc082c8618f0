"""Settings that depend on which process reads them."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.places import REPOSITORY

SHOW = (
    "from django.conf import settings; import json; print(json.dumps(settings.DATABASES['default'].get('OPTIONS', {})))"
)
NOWHERE = "postgres://nobody:nothing@127.0.0.1:1/none"
WEB_SERVER, WORKER = "import campaign.project.wsgi", "import campaign.project.celery"


@pytest.mark.parametrize(
    ("process", "variables", "most"),
    [
        (WEB_SERVER, {}, 8),
        (WEB_SERVER, {"DATABASE_POOL": "3"}, 3),
        (WORKER, {}, 0),
    ],
)
def test_only_web_servers_share_connections_to_postgresql(
    tmp_path: Path, process: str, variables: dict[str, str], most: int
) -> None:
    options = options_of_the_database(process, tmp_path, variables)
    assert options.get("pool", {}).get("max_size", 0) == most


@pytest.mark.parametrize("process", [WEB_SERVER, WORKER])
def test_every_process_keeps_what_the_address_of_the_database_asks_of_connections(tmp_path: Path, process: str) -> None:
    asked = {"DATABASE_URL": f"{NOWHERE}?sslmode=verify-full&sslrootcert=/etc/runpool/first.pem"}
    options = options_of_the_database(process, tmp_path, asked)
    assert (options["sslmode"], options["sslrootcert"]) == ("verify-full", "/etc/runpool/first.pem")


def options_of_the_database(process: str, folder: Path, variables: dict[str, str]) -> dict[str, Any]:
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_POOL"},
        "DATA_DIR": str(folder),
        "DATABASE_URL": NOWHERE,
        "DJANGO_SETTINGS_MODULE": "campaign.project.settings",
        **variables,
    }
    command = [sys.executable, "-c", f"{process}; {SHOW}"]
    shown = subprocess.check_output(command, cwd=REPOSITORY, env=environment, text=True, timeout=60)
    options: dict[str, Any] = json.loads(shown.splitlines()[-1])
    return options
