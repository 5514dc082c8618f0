import csv
import io
import json
from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command
from django.test import Client

from campaign.models import AuditEvent, Notice, Run, Task, User
from campaign.models.mail import PHASE
from evaluation.boards.audiences import PARTICIPANTS, PUBLIC
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from evaluation.services.working_boards import working_board_compute
from tests.evaluation.makers import confirm_publication, make_qrels, make_valid_run
from tests.factories import Cast, make_topics

GRADES = {"1": {"a": 2, "b": 0, "c": 1}, "2": {"x": 0, "y": 1}, "3": {"z": 1}}


@pytest.fixture
def scored(cast: Cast, django_capture_on_commit_callbacks: Callable) -> Cast:
    make_topics(cast.task, ["1", "2", "3"])
    cast.task.measures = ["AP", "RR"]
    cast.task.save()
    make_qrels(cast.task, GRADES, cast.organiser)
    make_valid_run(cast.task, cast.team, "good", {"1": ["a", "c"], "2": ["y"], "3": ["z"]})
    make_valid_run(cast.task, cast.other_team, "poor", {"1": ["b", "a"]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=cast.organiser, task=cast.task)
    return cast


def get(user: User | None, url: str) -> tuple[int, str]:
    client = Client()
    if user is not None:
        client.force_login(user)
    response = client.get(url)
    return response.status_code, response.getvalue().decode()


def test_a_leaderboard_is_a_snapshot_with_the_best_run_first(scored: Cast) -> None:
    leaderboard = leaderboard_publish(actor=scored.organiser, task=scored.task)
    runs = json.loads(get(None, scored.task.url("leaderboard_json", number=1))[1])["runs"]
    assert [run["tag"] for run in runs] == ["good", "poor"]
    assert runs[0]["cells"]["AP"]["mean"] == pytest.approx(1)
    assert (leaderboard.tests["test"], leaderboard.tests["correction"]) == ("max-t", "none")
    assert leaderboard.tests["topics"] == 3
    scored.task.refresh_from_db()
    leaderboard.qrels.refresh_from_db()
    assert scored.task.phase == Task.PUBLISHED
    assert leaderboard.qrels.published_at is not None
    assert AuditEvent.objects.filter(verb="publish", object_id=str(leaderboard.pk)).exists()


def test_the_json_of_a_leaderboard_has_a_line_for_each_part_and_each_run(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    text = get(None, scored.task.url("leaderboard_json", number=1))[1]
    lines = text.splitlines()
    assert len(lines) == len(json.loads(text)) + len(["{", "good", "poor", "]", "}"])
    first = lines.index('"runs": [') + 1
    assert [json.loads(line.rstrip(","))["tag"] for line in lines[first : first + 2]] == ["good", "poor"]


def test_a_published_leaderboard_never_changes(scored: Cast) -> None:
    first = leaderboard_publish(actor=scored.organiser, task=scored.task)
    files = [get(None, scored.task.url(name, number=1)) for name in ("leaderboard_json", "leaderboard_csv")]
    Evaluation.objects.all().delete()
    working_board_compute(task=scored.task)
    assert [get(None, scored.task.url(name, number=1)) for name in ("leaderboard_json", "leaderboard_csv")] == files
    first.refresh_from_db()
    with pytest.raises(TypeError):
        first.save()
    with pytest.raises(TypeError):
        first.delete()


def test_a_correction_is_a_new_number(scored: Cast) -> None:
    terms = [Terms(note) for note in ("", "", "A correction.", "A correction.")]
    numbers = [leaderboard_publish(actor=scored.organiser, task=scored.task, terms=one).number for one in terms]
    assert numbers == [1, 1, 2, 2], "what the newest one says already is not published again"
    numbers = [1, 2]
    pages = [get(None, scored.task.url("leaderboard_detail", number=number))[1] for number in numbers]
    assert ["see version 2</a>" in page for page in pages] == [True, False]


def test_nothing_is_published_before_there_are_scores(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="no scores"):
        leaderboard_publish(actor=cast.organiser, task=cast.task)


def test_publishing_waits_until_every_valid_run_is_scored(scored: Cast) -> None:
    make_valid_run(scored.task, scored.team, "late", {"1": ["a"]})
    with pytest.raises(ValidationError, match="1 valid run is not scored"):
        leaderboard_publish(actor=scored.organiser, task=scored.task)


def test_working_scores_are_seen_by_organisers_only(scored: Cast) -> None:
    for page in ("score_board", "score_board_csv"):
        url = scored.task.url(page)
        assert get(scored.organiser, url)[0] == 200
        assert [get(user, url)[0] for user in (scored.assessor, scored.member, scored.stranger)] == [403, 403, 403]
        assert get(None, url)[0] == 302
    picture = scored.task.url("scores_picture", measure="AP")
    assert get(scored.organiser, picture)[0] == 200
    assert get(scored.member, picture)[0] == 403
    assert get(scored.organiser, scored.task.url("scores_picture", measure="nonsense"))[0] == 404


def test_no_score_leaves_before_publication_and_all_do_after(scored: Cast) -> None:
    before = scored.task.url("leaderboard_detail", number=1)
    card, own = scored.task.url("scores_card"), scored.task.url("run_scores", tag="poor")
    assert get(scored.member, before)[0] == 404
    assert "poor" not in get(scored.stranger, card)[1]
    assert "0.1667" not in get(scored.other_member, own)[1]
    assert "0.1667" in get(scored.organiser, own)[1]
    leaderboard_publish(actor=scored.organiser, task=scored.task, terms=Terms(note="First release."))
    for user in (None, scored.stranger, scored.member, scored.assessor, scored.organiser):
        status, page = get(user, before)
        assert status == 200
        assert "0.1667" in page
        assert "First release." in page
    assert "0.1667" in get(scored.other_member, own)[1]
    assert get(scored.member, own)[0] == 404
    Run.objects.filter(tag="poor").update(state=Run.WITHDRAWN)
    assert "The run is withdrawn and is not scored." in get(scored.other_member, own)[1]


def test_the_files_of_a_leaderboard_hold_what_the_page_shows(scored: Cast) -> None:
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    status, text = get(None, scored.task.url("leaderboard_csv", number=1))
    lines = list(csv.DictReader(io.StringIO(text)))
    assert status == 200
    assert [(line["run"], float(line["AP"])) for line in lines] == [("good", 1.0), ("poor", pytest.approx(0.25 / 3))]
    data = json.loads(get(None, scored.task.url("leaderboard_json", number=1))[1])
    assert data["qrels"]["version"] == 1
    assert [run["tag"] for run in data["runs"]] == ["good", "poor"]
    status, picture = get(None, scored.task.url("leaderboard_picture", number=1, measure="RR"))
    assert status == 200
    assert "<svg" in picture
    assert "good" in picture


def test_a_run_or_team_name_that_a_spreadsheet_takes_for_a_formula_is_quoted(scored: Cast) -> None:
    scored.team.name = "=HYPERLINK(1)"
    scored.team.save()
    working_board_compute(task=scored.task)
    leaderboard_publish(actor=scored.organiser, task=scored.task)
    assert ",'=HYPERLINK(1)," in get(None, scored.task.url("leaderboard_csv", number=1))[1]


def test_organisers_publish_from_the_page(scored: Cast) -> None:
    client = Client()
    client.force_login(scored.organiser)
    url = scored.task.url("leaderboard_publish")
    assert "Scores of 2 runs" in client.get(url).content.decode()
    assert "Choose who may see the leaderboard." in client.post(url, {"note": ""}).content.decode()
    response = confirm_publication(client, url, {"note": "", "audience": "public"})
    assert "Leaderboard 1 is published for everybody." in client.get(response["Location"]).content.decode()
    assert Leaderboard.objects.count() == 1


def test_publishing_without_a_share_of_judged_documents_warns_and_adds_it(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    client = Client()
    client.force_login(scored.organiser)
    url = scored.task.url("leaderboard_publish")
    assert "No measure tells how much of each run is judged" in client.get(url).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        client.post(url, {"add_judged": "1"})
    scored.task.refresh_from_db()
    assert scored.task.measures == ["AP", "RR", "Judged@10"]
    assert "No measure tells how much" not in client.get(url).content.decode()
    assert not Leaderboard.objects.exists()


def test_what_changes_scores_after_they_were_computed_is_confirmed_logged_and_said_on_the_board(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    client = Client()
    client.force_login(scored.organiser)
    url = scored.task.url("task_edit")
    page = client.get(url).context
    sent = {name: value for name, value in page["form"].initial.items() if value is not None}
    sent |= {"measures": "RR", "lowest_relevant_grade": "2"}
    for number, row in enumerate(page["scale"].initial):
        sent |= {f"grades-{number}-{name}": value for name, value in row.items()}
    sent |= {"grades-TOTAL_FORMS": 4, "grades-INITIAL_FORMS": 4, "grades-1-gain": "0.5"}
    sent |= {"run_order": "line", "reference": "10"}
    sent |= {"questions-TOTAL_FORMS": 0, "questions-INITIAL_FORMS": 0}
    asked = client.post(url, sent)
    changes = [
        "ranking measure changed from AP to RR",
        "measures removed: AP",
        "lowest relevant grade changed from 1 to 2",
        "gain of grade 1 changed from 1 to 0.5",
        "order of runs changed from “score; equal scores by docno” to “lines as they stand in the file”",
        "reference changed from single precision as trec_eval 9 to double precision as trec_eval 10",
    ]
    assert asked.context["unconfirmed"].changes == changes
    scored.task.refresh_from_db()
    assert scored.task.measures == ["AP", "RR"]
    assert scored.task.run_order == "score"
    assert client.post(url, sent | {"confirmed": "1"}).status_code == 302
    scores_of_run = scored.task.url("run_scores", tag="good")
    assert "have changed since these scores were computed" in get(scored.organiser, scores_of_run)[1]
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    assert "have changed since" not in get(scored.organiser, scores_of_run)[1]
    leaderboard = leaderboard_publish(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
    [change] = leaderboard.tests["changed_after_scores"]
    assert change["changes"] == asked.context["unconfirmed"].changes
    board = get(None, leaderboard.get_absolute_url())[1]
    assert "Changed after scores had been computed" in board
    assert "relevant from grade 2" in board


def test_publishing_names_topics_without_a_relevant_document_and_offers_no_button_before_all_runs_are_scored(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    client = Client()
    client.force_login(scored.organiser)
    url = scored.task.url("leaderboard_publish")
    assert "without a relevant document" not in client.get(url).content.decode(), (
        "all that is judged of topic 3 is relevant"
    )
    make_qrels(scored.task, {**GRADES, "3": {"z": 0}}, scored.organiser)
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    named = "Topics without a relevant document, which are scored: 3 (no relevant document among 1 judged)."
    assert named in client.get(url).content.decode()
    Task.objects.filter(pk=scored.task.pk).update(lowest_relevant_grade=3)
    assert "No run is scored by the measures that the task has now" in client.get(url).content.decode()
    Task.objects.filter(pk=scored.task.pk).update(lowest_relevant_grade=1, measures=["AP", "RR", "P@5"])
    page = client.get(url).content.decode()
    assert "You cannot publish yet" in page
    assert "button-danger" not in page


def test_the_commands_say_what_is_wrong(scored: Cast) -> None:
    address = f"{scored.campaign.slug}/{scored.task.slug}"
    with pytest.raises(CommandError, match="no such leaderboard"):
        call_command("export_leaderboard", address)
    with pytest.raises(CommandError, match="no organiser"):
        call_command("publish_leaderboard", address, "--as", scored.member.username)


@pytest.mark.django_db(transaction=True)
def test_a_script_scores_publishes_and_exports_without_a_worker(capsys: pytest.CaptureFixture[str]) -> None:
    from tests.factories import make_cast

    cast = make_cast(measures=["AP"])
    make_topics(cast.task, ["1"])
    make_qrels(cast.task, {"1": {"a": 1}}, cast.organiser)
    make_valid_run(cast.task, cast.team, "one", {"1": ["a"]})
    address, olga = f"{cast.campaign.slug}/{cast.task.slug}", cast.organiser.username
    call_command("score_runs", address, "--as", olga)
    call_command("publish_leaderboard", address, "--as", olga)
    capsys.readouterr()
    call_command("export_leaderboard", address)
    assert capsys.readouterr().out.splitlines()[1].startswith("one,")
    call_command("export_leaderboard", address, "--format", "json")
    assert json.loads(capsys.readouterr().out)["measures"] == ["AP"]


@pytest.mark.parametrize(("audience", "readers"), [(PUBLIC, Notice.EVERYBODY), (PARTICIPANTS, Notice.SUBMITTERS)])
def test_those_who_may_see_a_published_board_are_told_once(scored: Cast, audience: str, readers: str) -> None:
    board = leaderboard_publish(actor=scored.organiser, task=scored.task, audience=audience)
    told = Notice.objects.filter(task=scored.task, title__contains="leaderboard")
    assert [notice.audience for notice in told] == [readers]
    assert board.get_absolute_url() in told[0].body
    assert not Notice.objects.filter(kind=PHASE, title__contains="Published").exists()


def test_page_csv_and_json_give_no_rank_by_the_share_of_judged_documents(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    scored.task.measures = ["AP", "Judged@10"]
    scored.task.save()
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    url = leaderboard_publish(actor=scored.organiser, task=scored.task, audience=PUBLIC).get_absolute_url()
    [first, _] = csv.DictReader(io.StringIO(get(None, scored.task.url("leaderboard_csv", number=1))[1]))
    cells = json.loads(get(None, scored.task.url("leaderboard_json", number=1))[1])["runs"][0]["cells"]
    for name, of_ap in (("rank_first", 1), ("rank_last", 1), ("rank_best", 1), ("rank_worst", 2), ("letters", "a")):
        assert (first[f"AP:{name}"], first[f"Judged@10:{name}"]) == (str(of_ap), "")
        assert (cells["AP"][name], cells["Judged@10"][name]) == (of_ap, "" if name == "letters" else None)
    by_judged = get(None, f"{url}?measure=Judged%4010")[1]
    assert "none: Judged@10 does not tell how good a run is" in by_judged
    assert (">Rank interval</a></dt>" in by_judged, ">Rank interval</a></dt>" in get(None, url)[1]) == (False, True)
    assert 'aria-label="compare good"' in by_judged


def test_a_board_with_a_run_of_which_little_is_judged_says_so_with_the_range(
    scored: Cast, django_capture_on_commit_callbacks: Callable
) -> None:
    url = scored.task.url("leaderboard_detail", number=1)
    leaderboard_publish(actor=scored.organiser, task=scored.task, audience=PUBLIC)
    assert "Few documents are judged" not in get(None, url)[1]
    make_valid_run(scored.task, scored.team, "unknown", {"1": [f"u{place}" for place in range(7)]})
    with django_capture_on_commit_callbacks(execute=True):
        scores_request(actor=scored.organiser, task=scored.task)
    second = leaderboard_publish(actor=scored.organiser, task=scored.task, audience=PUBLIC, terms=Terms("More."))
    shown = " ".join(get(None, second.get_absolute_url())[1].split())
    assert "Few documents are judged: 30.0 % to 100.0 % of the first 10 of a run" in shown
    assert shown.index("Few documents are judged") < shown.index('<table class="data board">')
