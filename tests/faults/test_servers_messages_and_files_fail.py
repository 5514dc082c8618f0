"""In one scene, since making each takes longer than any of its faults."""

import os
import signal

import pytest

from tests.faults.faults import OF_MESSAGES_AND_FILES, OF_SERVERS, Fault, require_nothing_lost
from tests.faults.scene import Scene
from tests.faults.workload import SMALL, run_text

pytestmark = pytest.mark.faults
STORED_FILE = "SELECT file FROM campaign_run r JOIN campaign_task t ON t.id = r.task_id WHERE t.slug = %s"


@pytest.mark.parametrize("fault", OF_SERVERS, ids=lambda fault: fault.name)
def test_a_server_that_fails_loses_nothing_doubles_nothing_and_changes_no_score(scene: Scene, fault: Fault) -> None:
    require_nothing_lost(scene, fault)


@pytest.mark.parametrize("fault", OF_MESSAGES_AND_FILES, ids=lambda fault: fault.name)
def test_what_fails_on_the_disk_or_in_a_queue_loses_nothing_doubles_nothing_and_changes_no_score(
    scene: Scene, fault: Fault
) -> None:
    require_nothing_lost(scene, fault)


def test_a_run_of_which_a_byte_was_flipped_is_neither_checked_nor_scored_until_it_is_sent_again(scene: Scene) -> None:
    content, runs = run_text(0, SMALL, "run-0"), "/campaigns/faults/tasks/flipped/runs"
    api = scene.api()
    worker = scene.site.servers.processes["worker"].pid
    os.killpg(worker, signal.SIGSTOP)  # the byte changes between upload and check
    try:
        assert api.submit(runs, content, team="north", tag="run-0")[0] == 201
        (name,) = scene.await_row(STORED_FILE, "flipped")
        path = scene.files / name
        path.write_bytes(content.replace(b"Q0 d1 ", b"Q0 d7 ", 1))
    finally:
        os.killpg(worker, signal.SIGCONT)
    scene.await_row("SELECT 1 FROM campaign_job WHERE state = 'failed' AND message LIKE %s", f"%{name}%")
    assert api.ask("GET", f"{runs}/run-0")[1]["state"] == "received"
    assert scene.health()["damaged_files"] == 1
    assert not path.exists()
    assert api.submit(runs, content, team="north", tag="run-0", replace="true")[0] == 201
    assert api.wait(f"{runs}/run-0")["state"] == "valid"
    assert scene.health()["damaged_files"] == 0
    assert path.read_bytes() == content
