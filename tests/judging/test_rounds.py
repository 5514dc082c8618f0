"""Rounds of a task: what is copied, what a residual round leaves out, and what teams and readers see of it."""

import polars as pl
import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.test import TestCase

from campaign.collection.selectors.displays import display_of_docno
from campaign.collection.selectors.versions import display_version
from campaign.models import Document, Job, JudgedBefore, Run, Task
from campaign.runs.selectors.reading import run_table
from campaign.setup.services.rounds import round_add
from campaign.setup.services.tasks import task_enter_phase, task_update
from judging.qrels.selectors.releases import released_table
from judging.qrels.services.earlier_rounds import judged_before_fix, judged_before_request
from judging.qrels.services.releases import qrels_import
from pooling.models import PoolEntry
from pooling.services.added_documents import document_add
from pooling.services.pools import pool_freeze
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit_and_check
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast
from tests.judging.makers import judge, make_assignment
from tests.pooling.makers import depth_k

pytestmark = pytest.mark.django_db
RANKING = b"1 Q0 a 1 3 bm25\n1 Q0 b 2 2 bm25\n1 Q0 c 3 1 bm25\n2 Q0 c 1 1 bm25\n"


def add_round(cast: Cast, kind: str = Task.RESIDUAL, **values: object) -> Task:
    return round_add(actor=cast.organiser, task=cast.task, slug="second", title="Second", round_kind=kind, **values)


def judged_cast() -> Cast:
    """A first round of which the pair (1, a) and (1, b) is judged by released qrels."""
    cast = make_ready_cast()
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    return cast


def open_residual(cast: Cast) -> Task:
    added = add_round(cast)
    judged_before_fix(actor=cast.organiser, task=added)
    return task_enter_phase(actor=cast.organiser, task=added, phase=Task.RUNS)


def pairs(fixed: JudgedBefore) -> set[tuple[str, str]]:
    with fixed.file.open() as file:
        return set(pl.read_parquet(file.read()).iter_rows())


def test_the_next_round_copies_settings_scale_collection_and_topics_and_starts_in_its_set_up():
    cast = make_ready_cast(max_runs_per_team=7, measures=["AP"])
    cast.task.topics.get(number="1").subtopics.create(number="1", position=1, text="aspect")
    added = add_round(cast, Task.TEST)
    assert (added.max_runs_per_team, added.measures, added.collection) == (7, ["AP"], cast.task.collection)
    assert (added.phase, added.opens_at, added.closes_at, added.follows) == (Task.SETUP, None, None, cast.task)
    assert [grade.label for grade in added.grades.all()] == [grade.label for grade in cast.task.grades.all()]
    assert [topic.number for topic in added.topics.all()] == ["1", "2"]
    assert added.topics.get(number="1").subtopics.get().text == "aspect"


def test_rounds_are_linked_both_ways_and_stand_on_a_timeline_with_a_teams_runs():
    cast = make_ready_cast()
    submit_and_check(cast)
    added = task_enter_phase(actor=cast.organiser, task=add_round(cast, Task.TEST), phase=Task.RUNS)
    client = signed_in(cast.member)
    assert added.get_absolute_url() in client.get(cast.task.get_absolute_url()).getvalue().decode()
    assert cast.task.get_absolute_url() in client.get(added.get_absolute_url()).getvalue().decode()
    timeline = client.get(f"{cast.campaign.get_absolute_url()}rounds/").getvalue().decode()
    assert "bm25" in timeline
    assert (
        "bm25" not in signed_in(cast.other_member).get(f"{cast.campaign.get_absolute_url()}rounds/").getvalue().decode()
    )


def test_the_page_adds_a_round_and_refuses_a_residual_one_without_topics():
    cast = make_ready_cast()
    client, address = signed_in(cast.organiser), cast.task.url("round_create")
    form = {"title": "Second", "slug": "second", "round_kind": "residual"}
    refused = client.post(address, form)
    assert refused.status_code == 422
    assert "copy them" in refused.getvalue().decode()
    client.post(address, {**form, "with_topics": "on"})
    assert Task.objects.get(slug="second").follows == cast.task


def test_a_first_round_cannot_be_residual_and_no_round_follows_itself():
    cast = make_ready_cast()
    with pytest.raises(ValidationError, match="follows another one"):
        task_update(actor=cast.organiser, task=cast.task, round_kind=Task.RESIDUAL)
    with pytest.raises(IntegrityError), transaction.atomic():
        Task.objects.filter(pk=cast.task.pk).update(follows=cast.task)


def test_a_residual_round_does_not_open_before_the_earlier_judgments_are_fixed():
    added = add_round(judged_cast())
    client = signed_in(added.campaign.roles.get(role="organiser").user)
    page = client.post(added.url("task_phase"), {"phase": "runs"}, follow=True).getvalue().decode()
    assert "fix first which pairs" in page
    assert Task.objects.get(pk=added.pk).phase == Task.SETUP


def test_a_residual_round_without_earlier_judgments_is_answered_with_what_to_do():
    cast = make_ready_cast()
    added = add_round(cast)
    with TestCase.captureOnCommitCallbacks(execute=True):
        judged_before_request(actor=cast.organiser, task=added)
    page = signed_in(cast.organiser).get(added.url("judged_before")).getvalue().decode()
    assert "no judgments yet" in page
    assert not JudgedBefore.objects.exists()


def test_pairs_judged_before_leave_runs_before_they_are_pooled_and_the_run_says_how_many():
    cast = judged_cast()
    cast.task = open_residual(cast)
    run = submit_and_check(cast, content=RANKING)
    assert run_table(run)["docno"].to_list() == ["c", "c"]
    assert run.judged_before == 2
    polled = cast.task.url("run_state", tag=run.tag)
    for url in (run.get_absolute_url(), polled):
        assert "2 lines, judged in" in signed_in(cast.member).get(url).getvalue().decode()
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(10))
    assert set(PoolEntry.objects.filter(pool=pool).values_list("topic__number", "docno")) == {("1", "c"), ("2", "c")}
    with pytest.raises(ValidationError, match="earlier round"):
        document_add(actor=cast.organiser, pool=pool, topic=cast.task.topics.get(number="1"), docno="a")


def test_qrels_of_a_residual_round_hold_no_pair_judged_before():
    cast = judged_cast()
    task = open_residual(cast)
    table = pl.DataFrame({"topic": ["1", "1", "2"], "docno": ["a", "c", "c"], "grade": [3, 2, 0]})
    table = table.cast({"grade": pl.Int32})
    qrels = qrels_import(actor=cast.organiser, task=task, table=table)
    assert released_table(qrels, "overall").select("topic", "docno").rows() == [("1", "c"), ("2", "c")]
    with pytest.raises(ValidationError, match="nothing is left"):
        qrels_import(actor=cast.organiser, task=task, table=table.head(1))


def test_what_was_judged_is_fixed_when_the_round_opens_and_later_judgments_change_nothing():
    cast = judged_cast()
    task = open_residual(cast)
    make_qrels(cast.task, {"1": {"a": 1, "b": 0, "c": 1}}, cast.organiser)
    with pytest.raises(ValidationError, match="The round is open"):
        judged_before_fix(actor=cast.organiser, task=task)
    assert pairs(JudgedBefore.objects.get()) == {("1", "a"), ("1", "b")}


def test_a_third_round_leaves_out_what_both_rounds_before_it_judged():
    cast = judged_cast()
    second = open_residual(cast)
    make_qrels(second, {"2": {"c": 1}}, cast.organiser)
    third = round_add(actor=cast.organiser, task=second, slug="third", title="Third", round_kind=Task.RESIDUAL)
    assert pairs(judged_before_fix(actor=cast.organiser, task=third)) == {("1", "a"), ("1", "b"), ("2", "c")}


def test_a_document_whose_text_has_changed_since_is_judged_anew():
    cast = make_cast()
    assignment = make_assignment(cast, ["same", "changed", "unread"])
    for docno in ("same", "changed"):
        display = display_of_docno(cast.task, docno)
        judge(assignment, docno, 1, text_sha256=display_version(display, display["text"]))
    judge(assignment, "unread", None)
    Document.objects.filter(docno="changed").update(text="corrected")
    added = add_round(cast)
    fixed = judged_before_fix(actor=cast.organiser, task=added)
    assert pairs(fixed) == {("401", "same"), ("401", "unread")}
    assert fixed.changed == 1


def test_runs_of_the_round_before_are_entered_again_by_a_button_with_the_same_bytes():
    cast = judged_cast()
    first = submit_and_check(cast, content=RANKING)
    task = open_residual(cast)
    client, address = signed_in(cast.member), task.url("runs_resubmit")
    assert first.tag in client.get(address).getvalue().decode()
    with TestCase.captureOnCommitCallbacks(execute=True):
        client.post(address, {"run": [first.pk]})
    again = Run.objects.get(task=task)
    assert (again.sha256, again.state, again.tag, again.judged_before) == (first.sha256, Run.VALID, first.tag, 2)
    assert first.tag not in signed_in(cast.other_member).get(address).getvalue().decode()
    assert Job.objects.filter(run=again).exists()
