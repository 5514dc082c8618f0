import subprocess
import sys

from tests.places import REPOSITORY


def test_what_a_unit_of_version_1_0_starts_says_what_to_start_and_ends() -> None:
    command = [sys.executable, "-c", "import campaign.project.wsgi"]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 3, "gunicorn ends for this status instead of starting workers for ever"
    assert (
        "campaign.project is now runpool. Start gunicorn with runpool.wsgi, and Celery with -A runpool" in done.stderr
    )
