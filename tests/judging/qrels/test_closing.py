"""Uploads close by a frozen pool and by visible qrels; what comes later is marked and known as such on every page."""

import csv
from datetime import timedelta

import pytest
from django.core.exceptions import ValidationError
from django.utils import timezone

from campaign.models import Allowance, AuditEvent, Notice, Run, Task
from campaign.models.mail import RESULTS
from campaign.setup.selectors.schedule import run_window, uploads_end
from campaign.setup.services.tasks import task_enter_phase, task_update
from judging.models import Qrels
from judging.qrels.services.publication import qrels_show
from pooling.services.pools import pool_freeze
from tests.campaign.runs.makers import RANKING, make_ready_cast, signed_in, submit
from tests.evaluation.makers import make_qrels
from tests.factories import Cast
from tests.pooling.makers import depth_k, make_valid_run

pytestmark = pytest.mark.django_db


def frozen(**task_values: object) -> Cast:
    cast = make_ready_cast(**task_values)
    make_valid_run(cast.task, cast.team, "first", RANKING)
    pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k())
    cast.task.refresh_from_db()
    return cast


def shown(**task_values: object) -> Cast:
    cast = make_ready_cast(**task_values)
    qrels_show(actor=cast.organiser, qrels=make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser))
    cast.task.refresh_from_db()
    return cast


def give_more_time(cast: Cast) -> None:
    Allowance.objects.create(task=cast.task, team=cast.team, closes_at=timezone.now() + timedelta(days=20))


def test_a_frozen_pool_closes_the_uploads_before_the_deadline_and_says_why():
    cast = frozen()
    assert not run_window(cast.task).is_open
    with pytest.raises(ValidationError, match="Uploads closed when the pool was frozen"):
        submit(cast)
    page = signed_in(cast.member).get(cast.task.url("run_list")).getvalue().decode()
    assert "Uploads closed when the pool was frozen" in page
    assert AuditEvent.objects.filter(verb="close uploads").count() == 1


READERS = ("organiser", "member", "assessor", "stranger", None)


@pytest.mark.parametrize("role", READERS)
def test_no_page_names_a_deadline_that_nobody_set_where_the_frozen_pool_closed_the_uploads(role: str | None) -> None:
    cast = frozen(closes_at=None)
    client = signed_in(getattr(cast, role) if role else None)
    for phase in (Task.JUDGING, Task.SCORES, Task.PUBLISHED):
        Task.objects.filter(pk=cast.task.pk).update(phase=phase)
        for address in (cast.task.get_absolute_url(), cast.campaign.get_absolute_url()):
            page = " ".join(client.get(address).content.decode().split())
            assert "closed when the pool was frozen, <span" in page, (address, phase)
            assert "deadline for runs <span" not in page, (address, phase)


def test_a_pool_of_a_task_without_a_deadline_closes_its_uploads_too():
    assert "the pool was frozen" in run_window(frozen(closes_at=None).task).why_closed


def test_a_task_that_goes_on_taking_runs_takes_them_after_the_pool():
    cast = frozen(takes_runs_after_pool=True)
    assert not submit(cast).after_qrels
    assert "goes on taking runs" in uploads_end(cast.task)[0]


def test_to_go_on_taking_runs_can_be_chosen_after_the_pool_was_frozen():
    cast = frozen()
    task_update(actor=cast.organiser, task=cast.task, takes_runs_after_pool=True)
    assert run_window(Task.objects.get(pk=cast.task.pk)).is_open


def test_a_team_with_a_deadline_of_its_own_uploads_after_the_pool_was_frozen():
    cast = frozen()
    give_more_time(cast)
    assert not submit(cast).after_qrels


def test_visible_qrels_close_the_uploads_of_a_task_that_goes_on_after_its_pool():
    cast = shown(takes_runs_after_pool=True)
    with pytest.raises(ValidationError, match="the relevance judgments became visible"):
        submit(cast)


def test_a_run_that_comes_after_the_qrels_is_marked_on_its_page_in_lists_and_tables():
    cast = shown()
    give_more_time(cast)
    run = submit(cast)
    assert run.after_qrels
    client = signed_in(cast.organiser)
    for page in (run.get_absolute_url(), cast.task.url("run_list")):
        assert "after the qrels" in client.get(page).getvalue().decode()
    [row] = csv.DictReader(client.get(cast.task.url("runs_csv")).getvalue().decode().splitlines())
    assert row["after_qrels"] == "yes"


def test_a_file_that_had_arrived_before_the_qrels_were_shown_is_not_marked():
    cast = make_ready_cast()
    arrived = timezone.now()
    give_more_time(cast)
    qrels_show(actor=cast.organiser, qrels=make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser))
    assert not submit(cast, received_at=arrived).after_qrels


def test_a_development_round_takes_runs_while_its_qrels_are_visible():
    cast = shown(round_kind=Task.DEVELOPMENT)
    assert not submit(cast).after_qrels


def test_going_back_to_the_phase_runs_opens_uploads_and_tells_that_runs_will_not_rank():
    cast = shown(phase=Task.SCORES)
    page = signed_in(cast.organiser).get(f"{cast.task.url('task_phase')}?to=runs").getvalue().decode()
    assert "never rank" in page
    task_enter_phase(actor=cast.organiser, task=cast.task, phase=Task.RUNS)
    assert submit(cast).after_qrels


def test_qrels_are_shown_once_after_a_question_that_names_what_follows():
    cast = make_ready_cast()
    qrels = make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    address, client = cast.task.url("qrels_show", version=qrels.version), signed_in(cast.organiser)
    assert "Uploads close now, although the deadline is" in client.get(address).getvalue().decode()
    client.post(address)
    assert Qrels.objects.get(pk=qrels.pk).published_at is not None
    assert signed_in(None).get(qrels.get_absolute_url()).status_code == 200
    with pytest.raises(ValidationError, match="already"):
        qrels_show(actor=cast.organiser, qrels=qrels)


def test_qrels_that_are_shown_are_told_of_once():
    cast = make_ready_cast()
    qrels = make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    qrels_show(actor=cast.organiser, qrels=qrels)
    with pytest.raises(ValidationError):
        qrels_show(actor=cast.organiser, qrels=qrels)
    [notice] = Notice.objects.filter(kind=RESULTS)
    assert (notice.audience, notice.title) == (Notice.EVERYBODY, f"{cast.task}: qrels v1 can be seen")
    assert qrels.get_absolute_url() in notice.body


def test_the_deadline_of_a_closed_task_is_no_coming_date():
    cast = frozen()
    page = signed_in(None).get(cast.campaign.get_absolute_url()).getvalue().decode()
    assert "closes for runs" not in page
    assert Run.objects.filter(task=cast.task).count() == 1
