import re
from typing import Any

import pytest
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.models import Job, Run, RunProblem, Task
from campaign.runs.selectors.progress import run_progress
from campaign.runs.services.decisions import run_reject
from campaign.storage import store
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit, submit_and_check
from tests.factories import Cast, make_received_run, make_team, make_user


@pytest.fixture
def cast(db: None) -> Cast:
    return make_ready_cast(max_runs_per_team=20)


def page(cast: Cast, query: str = "", *, user: Any = None) -> Any:
    return signed_in(user or cast.organiser).get(cast.task.url("run_list") + query)


def tags(cast: Cast, query: str = "", *, user: Any = None) -> list[str]:
    return [run.tag for run in page(cast, query, user=user).context["page"]]


def text(answer: Any) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", answer.content.decode()))


def test_the_list_is_filtered_by_state_and_counts_them_all(cast: Cast) -> None:
    submit_and_check(cast, "good")
    submit_and_check(cast, "bad", b"nothing\n")
    submit(cast, "waits")
    make_received_run(cast.task, cast.team, "lost", b"1 Q0 a 1 1.0 lost\n")
    assert tags(cast, "?state=valid") == ["good"]
    assert tags(cast, "?state=rejected") == ["bad"]
    assert tags(cast, "?state=checking") == ["waits"]
    assert tags(cast, "?state=stuck") == ["lost"]
    counts = {link["state"]: link["count"] for link in page(cast, "?state=valid").context["states"]}
    assert counts == {"": 4, "checking": 1, "stuck": 1, "valid": 1, "rejected": 1}


def test_a_run_whose_check_was_given_up_is_stuck(cast: Cast) -> None:
    run = submit(cast, "gone")
    Job.objects.filter(run=run).update(state=Job.FAILED)
    assert tags(cast, "?state=stuck") == ["gone"]
    assert "stuck: check failed" in text(page(cast))


def test_a_waiting_run_shows_its_place_in_the_queue(cast: Cast) -> None:
    submit(cast, "first")
    second = submit(cast, "second")
    rows = {row.run.tag: row for row in page(cast).context["rows"]}
    assert 0 < rows["first"].place < rows["second"].place
    assert f"no. {rows['second'].place} in the queue" in text(page(cast))
    assert rows["second"].place == run_progress(second).place
    Job.objects.filter(run=second).update(state=Job.WORKING)
    assert "checking" in text(page(cast, "?search=second"))


@pytest.mark.sqlite("campaign.runs.forms.filter.RunFilterForm._by_search")
def test_the_list_is_filtered_by_team_kind_priority_decision_and_words(cast: Cast) -> None:
    submit_and_check(cast, "plain", priority=1)
    submit_and_check(cast, "careful", kind=Run.MANUAL, priority=2, description="Queries written by Hand.")
    theirs = submit_and_check(cast, "theirs", team=cast.other_team, actor=cast.other_member, priority=3)
    run_reject(actor=cast.organiser, run=theirs, reason="Made for another task.")
    assert tags(cast, f"?team={cast.other_team.slug}") == ["theirs"]
    assert tags(cast, "?kind=manual") == ["careful"]
    assert tags(cast, "?priority=1") == ["plain"]
    assert tags(cast, "?decision=rejected") == tags(cast, "?decision=any") == ["theirs"]
    assert tags(cast, "?search=by+hand") == ["careful"]
    assert tags(cast, "?search=PLAI") == ["plain"]
    answer = page(cast, "?kind=manual&priority=2&sort=tag")
    assert "2 filters, show all" in text(answer)
    assert f'href="{cast.task.url("run_list")}?sort=tag"' in answer.content.decode()


def test_the_list_is_filtered_by_problems_and_by_the_rule_that_is_broken(cast: Cast) -> None:
    submit_and_check(cast, "clean")
    submit_and_check(cast, "half", b"1 Q0 a 1 2.0 half\n1 Q0 b 2 1.0 half\n")
    submit_and_check(cast, "wrong", b"1 Q0 nowhere 1 2.0 wrong\n2 Q0 a 1 1.0 wrong\n")
    submit(cast, "waits")
    assert tags(cast, "?problems=none") == ["clean"]
    assert tags(cast, "?problems=errors") == ["wrong"]
    assert tags(cast, "?problems=warnings") == ["half"]
    codes = {problem.run.tag: problem.code for problem in RunProblem.objects.all()}
    assert tags(cast, f"?problems={codes['half']}") == ["half"]
    assert f'title="{codes["wrong"]}"' in page(cast).content.decode()
    assert f'<option value="{codes["half"]}"' in page(cast).content.decode()


def test_a_superseded_attempt_is_shown_on_demand_and_one_that_counts_always(cast: Cast) -> None:
    submit_and_check(cast, "mended", b"nothing\n")
    submit_and_check(cast, "mended")
    submit_and_check(cast, "other")
    assert tags(cast, "?sort=tag") == ["mended", "other"]
    assert "Show 1 superseded" in text(page(cast))
    assert [(run.tag, run.attempt) for run in page(cast, "?attempts=all&sort=tag").context["page"]] == [
        ("mended", 2), ("mended", 1), ("other", 1),
    ]  # fmt: skip
    Run.objects.filter(tag="mended", attempt=2).update(state=Run.REJECTED)
    Run.objects.filter(tag="mended", attempt=1).update(state=Run.VALID)
    assert tags(cast, "?sort=tag") == ["mended", "mended", "other"]


def test_each_attempt_links_to_its_own_page(cast: Cast) -> None:
    submit_and_check(cast, "mended", b"nothing\n")
    submit_and_check(cast, "mended")
    submit_and_check(cast, "other")
    links = re.findall(r'id="run-link-\d+"\s+href="([^"]+)"', page(cast, "?attempts=all&sort=tag").content.decode())
    stem = cast.task.url("run_list")
    assert links == [f"{stem}mended/?attempt=2", f"{stem}mended/?attempt=1", f"{stem}other/"]


@pytest.mark.sqlite("campaign.runs.forms.filter.RunFilterForm.order", "campaign.runs.forms.filter._ordered")
@pytest.mark.parametrize(
    ("sort", "expected"),
    [
        ("tag", ["a", "b", "c"]),
        ("-tag", ["c", "b", "a"]),
        ("time", ["b", "a", "c"]),
        ("priority", ["c", "a", "b"]),
        ("-lines", ["a", "b", "c"]),
        ("lines", ["b", "a", "c"]),
        ("-topics", ["a", "b", "c"]),
        ("-problems", ["b", "a", "c"]),
    ],
)
def test_the_list_is_sorted_by_every_column_and_what_is_unknown_stands_last(
    cast: Cast, sort: str, expected: list[str]
) -> None:
    for tag, priority, lines, errors in (("b", 3, 5, 7), ("a", 2, 9, 0), ("c", 1, None, 0)):
        run = make_received_run(cast.task, cast.team, tag, b"", priority=priority, lines=lines, topics_answered=lines)
        Run.objects.filter(pk=run.pk).update(error_count=errors)
    assert tags(cast, f"?sort={sort}") == expected


@pytest.mark.sqlite(
    "campaign.runs.forms.filter.RunFilterForm",
    "campaign.text.collation.by_numbers",
    "campaign.text.collation.add_sqlite_collation",
)
def test_tags_are_listed_by_the_numbers_in_them(cast: Cast) -> None:
    for tag in ("run-10", "run-9", "run-100", "base"):
        make_received_run(cast.task, cast.team, tag, b"")
    assert tags(cast, "?sort=tag") == ["base", "run-9", "run-10", "run-100"]
    assert tags(cast, "?sort=-tag") == ["run-100", "run-10", "run-9", "base"]


def test_sorting_and_paging_keep_the_filters(cast: Cast) -> None:
    submit_and_check(cast, "one", kind=Run.MANUAL)
    answer = page(cast, "?kind=manual&page=1").content.decode()
    assert "?kind=manual&amp;sort=tag" in answer
    assert f"{cast.task.url('runs_csv')}?kind=manual" in answer
    assert f"{cast.task.url('run_archive')}?kind=manual" in answer


def test_a_member_sees_the_own_runs_and_neither_the_archive_nor_what_is_unjudged(cast: Cast) -> None:
    submit_and_check(cast, "ours")
    submit_and_check(cast, "theirs", team=cast.other_team, actor=cast.other_member)
    answer = page(cast, user=cast.member)
    assert [run.tag for run in answer.context["page"]] == ["ours"]
    assert [link["count"] for link in answer.context["states"]] == [1, 1]
    shown = answer.content.decode()
    assert cast.task.url("runs_csv") in shown
    for hidden in (cast.task.url("run_archive"), "Unjudged", "scores/unjudged", cast.other_team.name, "theirs"):
        assert hidden not in shown


def test_a_member_cannot_learn_of_other_teams_by_filters(cast: Cast) -> None:
    submit_and_check(cast, "theirs", b"nothing\n", team=cast.other_team, actor=cast.other_member)
    submit_and_check(cast, "ours")
    code = RunProblem.objects.get().code
    for query in (f"?problems={code}", f"?team={cast.other_team.slug}", "?search=theirs", "?state=rejected"):
        shown = text(page(cast, query, user=cast.member))
        assert "theirs" not in shown.replace("search=theirs", "")
        assert code not in shown


def test_the_list_asks_for_unfinished_runs_until_none_is_left(cast: Cast) -> None:
    run = submit(cast, "waits")
    done = submit_and_check(cast, "done")
    first = page(cast).content.decode()
    address = re.search(r'id="run-refresh"\s+hx-get="([^"]+)"', first)
    assert address
    assert f"run={run.pk}" in address[1]
    assert f"run={done.pk}" not in address[1]
    client = signed_in(cast.organiser)
    again = client.get(address[1].replace("&amp;", "&")).content.decode()
    assert f'<tr id="run-{run.pk}" hx-swap-oob="true">' in again
    assert "hx-trigger" in again
    Run.objects.filter(pk=run.pk).update(state=Run.VALID)
    last = client.get(address[1].replace("&amp;", "&")).content.decode()
    assert "valid" in last
    assert "every 3s" not in last


def test_rows_are_those_that_the_reader_may_see(cast: Cast) -> None:
    theirs = submit(cast, "theirs", team=cast.other_team, actor=cast.other_member)
    other_task = make_ready_cast()
    elsewhere = submit(other_task, "elsewhere")
    address = f"{cast.task.url('run_list_rows')}?run={theirs.pk}&run={elsewhere.pk}&run=x&run=²&run={'9' * 18}"
    assert "theirs" not in signed_in(cast.member).get(address).content.decode()
    seen = signed_in(cast.organiser).get(address).content.decode()
    assert "theirs" in seen
    assert "elsewhere" not in seen


def make_many_runs(cast: Cast, count: int) -> None:
    teams = [make_team(members=(make_user(),), campaign=cast.campaign) for _ in range(10)]
    stored = store(ContentFile(b"1 Q0 a 1 1.0 many\n"), folder="runs")
    Run.objects.bulk_create(
        Run(
            task=cast.task, team=teams[number % 10], tag=f"many{number}", file=stored.name, file_name="many.txt",
            size=stored.size, sha256=stored.sha256, submitted_by=cast.member, state=list(Run.STATES)[number % 4],
        )
        for number in range(count)
    )  # fmt: skip
    RunProblem.objects.bulk_create(
        RunProblem(run=run, code="topic_missing", severity="warning", message="missing")
        for run in Run.objects.filter(tag__startswith="many")
    )


def test_five_hundred_runs_take_as_many_queries_as_one(cast: Cast) -> None:
    client = signed_in(cast.organiser)
    submit(cast, "one")

    def queries(name: str, query: str = "") -> int:
        with CaptureQueriesContext(connection) as captured:
            answer = client.get(cast.task.url(name) + query)
            assert answer.status_code == 200
        return len(captured)

    names = ("run_list", "run_list_rows")
    queries(names[0])
    few = [queries(name, f"?sort=time&run={Run.objects.get().pk}") for name in names]
    make_many_runs(cast, 500)
    queries(names[0])  # what is asked once in a while is not asked again by what is counted
    many = [queries(name, f"?sort=time&run={Run.objects.get(tag='one').pk}") for name in names]
    assert many[0] <= few[0]
    assert many[1] <= few[1]
    assert queries("run_list", "?attempts=all&page=3&sort=-problems&problems=topic_missing&search=many") <= few[0] + 1
    assert len(tags(cast)) == 100


def test_filters_that_mean_nothing_mean_all(cast: Cast) -> None:
    submit_and_check(cast, "one")
    nonsense = "?state=magic&team=nobody&kind=x&problems=x&decision=x&priority=x&attempts=x&sort=password&page=99"
    assert tags(cast, nonsense) == ["one"]
    assert "show all" not in text(page(cast, nonsense))


def test_a_task_without_runs_says_what_to_do(cast: Cast) -> None:
    assert "No run yet" in text(page(cast))
    submit_and_check(cast, "one")
    assert "No run matches" in text(page(cast, "?search=nothing"))
    Task.objects.update(closes_at=None, phase=Task.SETUP)
    Run.objects.all().delete()
    assert "not open yet" in text(page(cast))


@pytest.mark.parametrize("number", ["9" * 19, "9" * 5000, "²", "-1"])
def test_rows_of_numbers_that_no_run_has_are_none(cast: Cast, number: str) -> None:
    answer = signed_in(cast.member).get(cast.task.url("run_list_rows") + f"?run={number}")
    assert answer.status_code == 200
