"""The page of the completeness of a pool: from real runs through pool and judgments to the page, its picture and its files."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.core.management import call_command
from django.test import Client

from campaign.models import Job, Team
from judging.models import Assignment
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolEntry
from pooling.selectors import holders
from pooling.services.pools import pool_freeze
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_collection, make_topics
from tests.judging.growing_pools import DOCNOS as DOCNOS_OF_RUNS
from tests.judging.growing_pools import chosen, judge_all, make_growing_pool
from tests.judging.makers import assign, judge, make_pool
from tests.pooling.makers import depth_k, make_valid_run
from tests.pooling.test_pool_pages import words

pytestmark = pytest.mark.django_db
DOCNOS = [f"D{place}" for place in range(12)]
RANKINGS = {"north-1": DOCNOS[:6], "north-2": [*DOCNOS[4:8], "D0"], "south": ["D0", "D1", *DOCNOS[8:]]}


@pytest.fixture
def organiser(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


@pytest.fixture
def assignment(cast: Cast) -> Assignment:
    """A pool of depth 5 of three runs of two teams, and an assessor for its one topic."""
    [topic] = make_topics(cast.task, ["1"])
    make_collection(cast.task, DOCNOS)
    for priority, (tag, ranking) in enumerate(RANKINGS.items(), start=1):
        team = cast.other_team if tag == "south" else cast.team
        make_valid_run(cast.task, team, tag, {"1": ranking}, priority=priority, lines=len(ranking))
    pool = pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(5))
    return assign(pool, topic, cast.assessor, cast.organiser)


def url_of(pool: Pool, name: str = "pool_completeness") -> str:
    return str(pool.task.url(name, version=pool.version))


def page(client: Client, url: str) -> Any:
    answer = client.get(url)
    assert answer.status_code == 200
    return answer


def figures(client: Client, pool: Pool) -> Any:
    return json.loads(client.get(url_of(pool, "completeness_json")).content)


def test_before_the_first_grade_the_page_says_that_nothing_is_judged(organiser: Client, assignment: Assignment) -> None:
    judge(assignment, "D0", None)
    shown = words(page(organiser, url_of(assignment.pool)))
    assert "Nothing is judged yet" in shown
    assert "1 cannot be judged" in shown


def test_every_part_of_the_pool_is_counted(organiser: Client, cast: Cast, assignment: Assignment) -> None:
    for docno, grade in {"D0": 2, "D1": 0, "D2": 1, "D6": 2, "D9": 2, "D10": None}.items():
        judge(assignment, docno, grade)
    cast.task.lowest_relevant_grade = 2
    cast.task.save()
    told = figures(organiser, assignment.pool)
    assert (told["pooled"], told["judged"], told["cannot_judge"], told["relevant"]) == (11, 5, 1, 3)
    by_run = {row["run"]: (row["pooled"], row["relevant"], row["unique_relevant"]) for row in told["runs"]}
    assert by_run == {"north-1": (5, 1, 0), "north-2": (5, 2, 1), "south": (5, 2, 1)}
    by_team = {row["team"]: (row["pooled"], row["judged"], row["relevant"], row["unique"]) for row in told["teams"]}
    assert by_team == {cast.team.slug: (8, 4, 2, 6), cast.other_team.slug: (5, 3, 2, 3)}
    assert [row["priority"] for row in told["priorities"]] == [1, 2, 3]
    assert told["curve"] == [
        {"per_topic": n, "judged": n, "relevant": relevant} for n, relevant in enumerate([1, 1, 1, 2, 3], start=1)
    ]
    shown = words(page(organiser, url_of(assignment.pool)))
    assert "5 of 11 pooled documents judged" in shown
    assert "3 relevant (grade 2 or above)" in shown
    assert "6 pooled documents without a grade" in shown
    assert "capture-recapture between teams" in shown
    assert cast.team.name in shown


def test_lists_of_teams_runs_and_topics_begin_with_their_first_rows_and_have_one_filter(
    organiser: Client, cast: Cast, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("campaign.web.short_lists.SHOWN", 1)
    judge(assignment, "D0", 2)
    pool = assignment.pool
    shown = page(organiser, url_of(pool))
    assert [table.listed.in_words for table in shown.context["lists"]] == [
        "2 teams, 1 shown",
        "3 runs, 1 shown",
        "1 topic",
    ]
    assert [row[0] for row in shown.context["lists"][1].rows] == ["north-1"]
    assert 'href="?teams=all#by-team"' in shown.content.decode()
    assert 'href="?runs=all#by-run"' in shown.content.decode()
    every = page(organiser, url_of(pool) + "?runs=all").context["lists"]
    assert [row[0] for row in every[1].rows] == ["north-1", "north-2", "south"]
    assert len(every[0].rows) == 1
    headers = {"HX-Request": "true", "HX-Target": "listed"}
    found = organiser.get(url_of(pool) + "?search=SOUTH", headers=headers)
    assert [[row[0] for row in table.rows] for table in found.context["lists"]] == [[], ["south"], ["1"]]
    assert "No team matches." in words(found)
    assert "0 of 2 teams match. 1 of 3 runs matches." in words(found)
    assert "HX-Refresh" not in found
    by_team = organiser.get(url_of(pool) + f"?search={cast.other_team.name}").context["lists"]
    assert [[row[0] for row in table.rows] for table in by_team] == [[cast.other_team.name], ["south"], ["1"]]


def test_a_change_of_mind_counts_and_a_judgment_of_another_pool_does_not(
    organiser: Client, cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D0", 0)
    judge(assignment, "D0", 3)
    other = make_pool(cast.task, {assignment.topic: ["D11"]}, cast.organiser, version=2)
    judge(assign(other, assignment.topic, cast.assessor, cast.organiser), "D11", 3)
    told = figures(organiser, assignment.pool)
    assert (told["judged"], told["relevant"]) == (1, 1)
    told = figures(organiser, other)  # of a strategy that this version does not have
    assert (told["pooled"], told["judged"], told["relevant"]) == (1, 1, 1)


def test_a_pool_whose_last_slice_brings_relevant_documents_is_called_not_exhausted(
    organiser: Client, assignment: Assignment
) -> None:
    judge(assignment, "D0", 3)
    assert "The pool is not exhausted" not in words(page(organiser, url_of(assignment.pool)))
    judge(assignment, "D4", 3)
    judge(assignment, "D7", 3)
    shown = words(page(organiser, url_of(assignment.pool)))
    assert "The pool is not exhausted" not in shown  # both stand higher in another run
    judge(assignment, "D10", 3)
    shown = words(page(organiser, url_of(assignment.pool)))
    assert "The pool is not exhausted" in shown
    assert "1 (1 relevant," in shown


def test_what_was_added_while_judging_is_a_component_of_its_own(
    organiser: Client, cast: Cast, assignment: Assignment
) -> None:
    PoolEntry.objects.create(
        pool=assignment.pool,
        topic=assignment.topic,
        docno="D11",
        position=99,
        best_position=0,
        run_count=0,
        stratum=1002,
        inclusion_probability=1.0,
        source=PoolEntry.FOUND,
        added_by=cast.assessor,
    )
    judge(assignment, "D11", 3)
    shown = words(page(organiser, url_of(assignment.pool)))
    assert "found by hand" in shown
    assert "held by no pooled run" in shown


def test_without_judgments_imported_qrels_tell_what_the_pool_was_worth(
    organiser: Client, cast: Cast, assignment: Assignment
) -> None:
    make_qrels(cast.task, {"1": {"D0": 3, "D1": 0, "X": 3}}, cast.organiser)
    told = figures(organiser, assignment.pool)
    assert (told["judged"], told["relevant"]) == (2, 1)
    assert "the grades of qrels v1" in told["judgments"]


def test_the_files_name_every_figure_and_guard_against_formulas(organiser: Client, assignment: Assignment) -> None:
    judge(assignment, "D0", 3)
    answer = organiser.get(url_of(assignment.pool, "completeness_csv"))
    rows = list(csv.DictReader(answer.content.decode().splitlines()))
    assert {row["table"] for row in rows} >= {"pool", "slice", "component", "priority", "team", "run", "topic", "curve"}
    [everything] = [row for row in rows if row["table"] == "pool"]
    assert (everything["pooled"], everything["judged"], everything["relevant"]) == ("11", "1", "1")
    assert "attachment" in answer["Content-Disposition"]


def test_the_picture_has_the_same_numbers_in_both_themes(organiser: Client, assignment: Assignment) -> None:
    judge(assignment, "D0", 3)
    judge(assignment, "D1", 0)
    light, dark = (
        organiser.get(url_of(assignment.pool, "completeness_picture") + f"?theme={theme}")
        for theme in ("light", "dark")
    )
    assert b"Relevant of judged, in order: 1 of 1; 1 of 2." in light.content
    assert light.content != dark.content


def test_the_picture_is_drawn_once_until_something_is_judged(
    organiser: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(assignment, "D0", 3)
    url = url_of(assignment.pool, "completeness_picture")
    first = organiser.get(url)
    with monkeypatch.context() as patched:
        patched.setattr("judging.completeness.views.judged_pool", None)
        assert organiser.get(url).content == first.content
        again = organiser.get(url, headers={"if-none-match": first["ETag"]})
        assert (again.status_code, again.content) == (304, b"")
    judge(assignment, "D1", 0)
    assert b"in order: 1 of 1; 1 of 2." in organiser.get(url).content


def test_many_runs_are_read_by_a_job_while_the_page_shows_the_rest(
    organiser: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch, django_capture_on_commit_callbacks: Any
) -> None:
    judge(assignment, "D0", 3)
    pool = assignment.pool
    monkeypatch.setattr("judging.completeness.holders.LINES_READ_AT_ONCE", 3)
    with django_capture_on_commit_callbacks() as jobs:
        shown = words(page(organiser, url_of(pool)))
    assert "Reading what the pooled runs hold" in shown
    assert "By run" not in shown
    [job] = Job.objects.filter(name=holders.READ_HOLDERS)
    assert organiser.get(url_of(pool), headers={"HX-Request": "true"}).headers.get("HX-Refresh") is None
    send, *_ = jobs  # besides it, what the line of tabs counts is kept in the cache
    send()
    job.refresh_from_db()
    assert job.state == Job.DONE
    assert organiser.get(url_of(pool), headers={"HX-Request": "true"})["HX-Refresh"] == "true"
    assert "By run" in words(page(organiser, url_of(pool)))


def test_many_runs_are_read_anew_by_a_job_and_in_the_request_only_where_another_process_has_just_read_them(
    organiser: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(assignment, "D0", 3)
    pool, jobs = assignment.pool, Job.objects.filter(name=holders.READ_HOLDERS)
    monkeypatch.setattr("judging.completeness.holders.LINES_READ_AT_ONCE", 3)
    assert "Reading what the pooled runs hold" in words(page(organiser, url_of(pool)))
    holders.read_holders(pool)
    jobs.update(state=Job.DONE)
    caches["bulk"].clear()  # the job's process had a memory of its own
    assert "By run" in words(page(organiser, url_of(pool)))
    Team.objects.filter(pk=assignment.pool.task.runs.first().team_id).update(slug="renamed")
    assert "Reading what the pooled runs hold" in words(page(organiser, url_of(pool)))
    assert jobs.count() == 2


@pytest.mark.sqlite("pooling.selectors.holders.latest_reading")
def test_a_reading_that_failed_says_so_and_can_be_asked_for_again(
    organiser: Client, assignment: Assignment, monkeypatch: pytest.MonkeyPatch
) -> None:
    judge(assignment, "D0", 3)
    pool = assignment.pool
    arguments = {"task_id": pool.task_id, "pool_id": pool.pk}
    Job.objects.create(
        name=holders.READ_HOLDERS,
        task=pool.task,
        key="x",
        arguments=arguments,
        state=Job.FAILED,
        message="No storage.",
    )
    assert "No storage." in words(page(organiser, url_of(pool)))
    assert "No storage." in words(page(organiser, url_of(pool) + "?again=1")), "reading a page starts nothing"
    assert organiser.post(url_of(pool)).status_code == 302
    assert "By run" in words(page(organiser, url_of(pool)))


def test_pages_of_pool_judging_and_qrels_lead_to_it(organiser: Client, cast: Cast, assignment: Assignment) -> None:
    make_qrels(cast.task, {"1": {"D0": 3}}, cast.organiser)
    for name, values in (("pool_detail", {"version": 1}), ("judging_progress", {})):
        assert url_of(assignment.pool) in page(organiser, cast.task.url(name, **values)).content.decode()


def test_what_is_kept_is_made_anew_after_each_act(organiser: Client, cast: Cast, assignment: Assignment) -> None:
    told = []
    for grade in (3, 0, 1):
        judge(assignment, "D0", grade)
        told.append(figures(organiser, assignment.pool)["relevant"])
        assert figures(organiser, assignment.pool)["relevant"] == told[-1]
    cast.task.lowest_relevant_grade = 3
    cast.task.save()
    told.append(figures(organiser, assignment.pool)["relevant"])
    assert told == [1, 0, 1, 0]


def test_what_a_policy_chose_out_of_the_control_sample_is_no_part_of_it_any_more(organiser: Client, cast: Cast) -> None:
    def relevant(docno: str) -> bool:
        return docno in [*DOCNOS_OF_RUNS[:20], "D32"]

    pool = make_growing_pool(cast, control=12, patience=0, size=30)
    judge_all(assign(pool, pool.task.topics.get(), cast.assessor, cast.organiser), pool, truth=relevant)
    entries, taken = PoolEntry.objects.filter(pool=pool), set(chosen(pool))
    control = set(entries.filter(stratum=2).values_list("docno", flat=True))
    left, outside = control - taken, len(DOCNOS_OF_RUNS) - entries.count()
    assert any(map(relevant, control & taken))
    assert any(map(relevant, left))
    sample = figures(organiser, pool)["estimates"][0]
    assert sample["expected"] == pytest.approx(sum(map(relevant, left)) * outside / len(left))


@pytest.mark.django_db(transaction=True)
def test_an_imported_sample_with_unequal_probabilities_is_read_by_them(
    organiser: Client, cast: Cast, tmp_path: Path
) -> None:
    [topic] = make_topics(cast.task, ["1"])
    make_collection(cast.task, DOCNOS)
    file = tmp_path / "pool.txt"
    drawn = {"D0": 0.8, "D1": 0.25, **{f"D{place}": 0.9 for place in range(2, 8)}}
    lines = [f"1 {docno} 1 {probability}\n" for docno, probability in drawn.items()]
    file.write_text("".join([*lines, *(f"1 D{place} 1 NA\n" for place in range(8, 12))]))
    call_command(
        "import_pool", f"{cast.task.campaign.slug}/{cast.task.slug}", str(file), "--as", cast.organiser.username
    )
    pool = Pool.objects.get()
    own = assign(pool, topic, cast.assessor, cast.organiser)
    for docno in drawn:
        judge(own, docno, 3)
    sample = figures(organiser, pool)["estimates"][0]
    assert sample["expected"] == pytest.approx(sum(1 / p - 1 for p in drawn.values()))
    assert "drawn independently with its probability" in sample["assumption"]


def test_judgments_made_through_another_version_are_counted_and_do_not_stand_for_a_sample(
    organiser: Client, cast: Cast, assignment: Assignment
) -> None:
    judge(assignment, "D0", 3)
    judge(assignment, "D4", 3)
    spec = PoolSpec.with_defaults("stratified", {"rates": [[1, 1.0], [6, 0.5]]}, seed=1)
    sample = pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)
    told = figures(organiser, sample)
    assert told["judged"] == told["judged_through_another_version"] > 0
    assert "reason" in told["estimates"][0], "two judged documents of the first positions are no random sample"
    shown = words(page(organiser, url_of(sample)))
    assert "judged through another version of the pool." in shown
    assert "is exhausted is not known yet" in shown
    assert "not above the limit" not in shown
    own = assign(sample, assignment.topic, cast.assessor, cast.organiser)
    for entry in PoolEntry.objects.filter(pool=sample):
        judge(own, entry.docno, 0)
    assert figures(organiser, sample)["judged_through_another_version"] == 0
    told = figures(organiser, assignment.pool)
    assert told["judged_through_another_version"] == told["judged"] - 2, "D0 and D4 were judged again, but first here"
