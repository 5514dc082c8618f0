"""Settings that depend on which process reads them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.places import REPOSITORY

SHOW = (
    "from django.conf import settings; import json; print(json.dumps(settings.DATABASES['default'].get('OPTIONS', {})))"
)
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
    environment = {
        **{name: value for name, value in os.environ.items() if name != "DATABASE_POOL"},
        "DATA_DIR": str(tmp_path),
        "DATABASE_URL": "postgres://nobody:nothing@127.0.0.1:1/none",
        "DJANGO_SETTINGS_MODULE": "campaign.project.settings",
        **variables,
    }
    command = [sys.executable, "-c", f"{process}; {SHOW}"]
    shown = subprocess.check_output(command, cwd=REPOSITORY, env=environment, text=True, timeout=60)
    options = json.loads(shown.splitlines()[-1])
    assert options.get("pool", {}).get("max_size", 0) == most
