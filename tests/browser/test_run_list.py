"""The organisers' list of runs while checks go on: rows change by themselves, and the reader is not disturbed."""

from collections.abc import Callable
from typing import Any

import pytest

from campaign.models import Job, Run
from campaign.runs.selectors.progress import CHECK_RUN
from tests.campaign.runs.makers import make_ready_cast
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_received_run

pytestmark = pytest.mark.browser
SECONDS = 15_000


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=20)


def test_a_row_changes_by_itself_and_focus_and_scroll_stay(
    cast: Cast, live_server: Any, page: Any, sign_in: Callable[..., None]
) -> None:
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.other_team, "scored", {"1": ["a"]})
    run = make_received_run(cast.task, cast.team, "waits", b"1 Q0 a 1 1.0 waits\n")
    job = Job.objects.create(name=CHECK_RUN, run=run)
    sign_in(page, cast.organiser)
    page.set_viewport_size({"width": 390, "height": 600})
    page.goto(live_server.url + cast.task.url("run_list"))
    page.get_by_text("not scored").wait_for(timeout=SECONDS)
    page.locator(f"#run-link-{run.pk}").focus()
    page.evaluate("document.querySelector('.table-wrap').scrollTo(120, 0)")
    Job.objects.filter(pk=job.pk).update(state=Job.DONE)
    Run.objects.filter(pk=run.pk).update(state=Run.REJECTED, error_count=7)
    page.locator(f"#run-{run.pk}").get_by_text("1 error at 7 places").wait_for(timeout=SECONDS)
    assert page.evaluate("document.activeElement.id") == f"run-link-{run.pk}"
    assert page.evaluate("document.querySelector('.table-wrap').scrollLeft") == 120
    assert page.locator("#run-states-rejected .count").inner_text() == "1"
    assert page.locator("#run-refresh[hx-get]").count() == 0
    assert page.locator("#announcement").inner_text() == "The checks of the runs on this page have ended."
    assert page.locator("tbody tr").count() == 2
