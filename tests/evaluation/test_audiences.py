"""Who sees how much of a published board, at every address that is about it."""

import hashlib
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from datetime import timedelta
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.management import call_command
from django.db import transaction
from django.db.models import Value
from django.db.models.functions import Concat
from django.http import HttpResponse
from django.test import Client, TestCase
from django.urls import reverse

from campaign.formats.runs.check import check_run
from campaign.formats.runs.rules import RunRules
from campaign.formats.runs.table import run_table_to_parquet
from campaign.models import Run, Task, Team, User
from campaign.runs.selectors.reading import run_table
from campaign.setup.services.rounds import round_add
from campaign.setup.services.tasks import task_update
from campaign.storage import store
from evaluation.analysis.reliability.services import published_report_compute
from evaluation.boards.anonymous import Anonymous, anonymous_board
from evaluation.boards.audiences import ANONYMOUS
from evaluation.boards.board import RunFacts
from evaluation.boards.choice import BEST_OF_TEAMS, Choice
from evaluation.boards.computing import compute_board
from evaluation.boards.stored import array_bytes, board_bytes
from evaluation.engine.significance.families import all_pairs
from evaluation.models import BoardSettings, Evaluation, Leaderboard
from evaluation.selectors import pseudonyms as pseudonyms_of
from evaluation.selectors.audiences import names_were_shown, told_by_names
from evaluation.selectors.board_views import board_of_leaderboard, values_of_leaderboard
from evaluation.selectors.boards import stored_board, working_board
from evaluation.selectors.leaderboard_drafts import Terms, draft_for, next_number
from evaluation.selectors.pseudonyms import LETTERS, pseudonyms
from evaluation.services.board_settings import board_settings_update
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request, task_score
from evaluation.services.working_boards import working_board_compute
from judging.models import Qrels
from runpool.api import api
from tests.api.makers import ask, make_token
from tests.campaign.setup.test_rule_settings import form_data
from tests.conftest import MadeOnce
from tests.evaluation.makers import confirm_publication, make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_team, make_topics, make_user
from tests.test_architecture import our_patterns
from tests.world import GET, ROWS, World

TAGS = ("tag-of-north", "second-of-north", "tag-of-south", "tag-of-east")
TEAMS = ("Team of the North", "Team of the South", "Team of the East")
NAMES = (*TAGS, *TEAMS)
PSEUDONYM = re.compile(r"^run-[b-z2-9]{6}$")
TEXTS = ("csv", "json", "svg", "bib")


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_scored) as scored:
        yield scored


@pytest.fixture
def scored(made: Cast, db: None) -> Cast:
    return replace(made, task=Task.objects.get(pk=made.task.pk))


def make_scored() -> Cast:
    """Four runs of three teams; the baseline was chosen after there were scores."""
    cast = make_cast()
    Team.objects.filter(pk=cast.team.pk).update(name=TEAMS[0])
    cast.team.name = TEAMS[0]
    others = [make_team(name, members=(make_user(),), campaign=cast.campaign) for name in TEAMS[1:]]
    Task.objects.filter(pk=cast.task.pk).update(measures=["AP", "RR"])
    make_topics(cast.task, ["1", "2", "3"])
    make_qrels(cast.task, {topic: {"a": 1, "b": 0, "x": 1} for topic in ("1", "2", "3")}, cast.organiser)
    lists = (["a", "x"], ["b", "a"], ["x", "b", "a"], ["b"])
    for tag, team, ranking in zip(TAGS, [cast.team, cast.team, *others], lists, strict=True):
        make_valid_run(cast.task, team, tag, {"1": ranking, "2": ranking, "3": ["b", *ranking[:1]]})
    with TestCase.captureOnCommitCallbacks(execute=True):
        scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))
    cast.task.refresh_from_db()
    with TestCase.captureOnCommitCallbacks(execute=True):
        board_settings_update(
            actor=cast.organiser,
            task=cast.task,
            test="max-t",
            correction="none",
            family="all pairs",
            baseline=TAGS[2],
            margin=None,
        )
    return cast


def publish(cast: Cast, audience: str) -> Leaderboard:
    """Each with another note: what the newest board says already is not published again."""
    task = Task.objects.get(pk=cast.task.pk)
    note = "" if (number := next_number(task)) == 1 else f"Board {number}."
    return leaderboard_publish(actor=cast.organiser, task=task, audience=audience, terms=Terms(note))


def client_of(user: User | None) -> Client:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client


def answer(user: User | None, url: str) -> HttpResponse:
    return client_of(user).get(url)


def text_of(response: Any) -> str:
    return bytes(response.getvalue()).decode(errors="replace")


def addresses(leaderboard: Leaderboard, tag: str) -> Iterator[tuple[str, str, bool]]:
    """Every address below a leaderboard, in every format that is text, and the answers of the API.

    With each whether it is the first format of a page: those of the others are asked for by one outsider, since who reads is
    looked at before the format is.
    """
    at = {**leaderboard.task.address, "number": leaderboard.number}
    fills = {"tag": tag, "topic": "1", "measure": "AP", "picture": "topics"}
    for pattern in our_patterns():
        name, takes = pattern.name, set(pattern.pattern.converters)
        if name is None or not name.startswith("leaderboard_") or "number" not in takes or name.endswith("_compute"):
            continue
        formats = TEXTS if "file_format" in takes else ("",)
        for file_format in formats:
            kwargs = at | {key: fills[key] for key in takes & set(fills)}
            url = reverse(name, kwargs=kwargs | ({"file_format": file_format} if file_format else {}))
            yield name, url, file_format == formats[0]
    task = leaderboard.task
    yield "api", f"/api/v1/campaigns/{task.campaign.slug}/tasks/{task.slug}/leaderboards/{leaderboard.number}", True
    yield "api list", f"/api/v1/campaigns/{task.campaign.slug}/tasks/{task.slug}/leaderboards", True


@pytest.mark.django_db
def test_a_board_without_names_tells_nobody_outside_a_name_at_any_address(scored: Cast) -> None:
    leaderboard = publish(scored, "anonymous")
    published_report_compute(leaderboard=leaderboard, report=lambda done, total, what: None)
    shown = json.loads(text_of(answer(None, leaderboard.task.url("leaderboard_json", number=1))))
    tags = [run["tag"] for run in shown["runs"]]
    assert all(PSEUDONYM.match(tag) for tag in tags)
    found = {}
    readers = [client_of(reader) for reader in (None, scored.stranger, scored.assessor)]
    for name, url, is_first in addresses(leaderboard, tags[0]):
        for client in readers if is_first else readers[-1:]:
            response = client.get(url)
            content = text_of(response)
            assert [told for told in NAMES if told in content] == [], (name, url)
            found[name, response.status_code] = url
    statuses = {status for _, status in found}
    assert statuses == {200, 404}
    assert {name for name, status in found if status == 200} >= {
        *(
            "leaderboard_detail",
            "leaderboard_run",
            "leaderboard_curves",
            "leaderboard_reliability_json",
            "leaderboard_reliability_picture",
        ),
        *(
            "leaderboard_compare",
            "leaderboard_pairs",
            "leaderboard_heatmap_file",
            "leaderboard_tables",
            "api",
            "api list",
        ),
    }


@pytest.mark.django_db
def test_a_team_is_told_which_pseudonyms_are_its_own_and_an_organiser_all(scored: Cast) -> None:
    leaderboard = publish(scored, "anonymous")
    page = text_of(answer(scored.member, leaderboard.get_absolute_url()))
    assert [name for name in TAGS if name in page] == [TAGS[0], TAGS[1]]
    page = text_of(answer(scored.organiser, leaderboard.get_absolute_url()))
    assert all(name in page for name in NAMES)


@pytest.mark.django_db
def test_participants_see_their_own_scores_at_the_addresses_that_show_them_and_nobody_else_any(scored: Cast) -> None:
    leaderboard = publish(scored, "participants")
    own = {
        "leaderboard_detail",
        "leaderboard_csv",
        "leaderboard_json",
        "leaderboard_run",
        "leaderboard_run_file",
        "api",
    }
    *outsiders, member = (client_of(user) for user in (None, scored.stranger, scored.assessor, scored.member))
    for name, url, is_first in addresses(leaderboard, TAGS[0]):
        for outsider in outsiders if is_first else outsiders[-1:]:
            response = outsider.get(url)
            assert response.status_code == 404 or (name == "api list" and text_of(response).count('"number"') == 0), url
        response = member.get(url)
        content = text_of(response)
        assert [told for told in NAMES if told in content and told not in (*TAGS[:2], TEAMS[0])] == [], url
        assert response.status_code == 404 or name in own | {"api list"}, url
    assert answer(scored.member, leaderboard.task.url("leaderboard_run", number=1, tag=TAGS[2])).status_code == 404
    assert answer(scored.organiser, leaderboard.task.url("leaderboard_heatmap", number=1)).status_code == 200


@pytest.mark.django_db
def test_a_team_sees_lowest_median_and_highest_of_all_runs_but_no_rank(scored: Cast) -> None:
    leaderboard = publish(scored, "participants")
    data = json.loads(text_of(answer(scored.member, leaderboard.task.url("leaderboard_json", number=1))))
    assert [run["tag"] for run in data["runs"]] == sorted(TAGS[:2])
    [run] = [run for run in data["runs"] if run["tag"] == TAGS[1]]
    first = run["measures"]["RR"]["topics"][0]
    assert (first["value"], first["low"], first["median"], first["high"]) == (0.5, 0.0, 0.75, 1.0)
    page = text_of(answer(scored.member, leaderboard.task.url("leaderboard_run", number=1, tag=TAGS[1])))
    assert "Rank interval" not in page
    assert "Best run" not in page


@pytest.mark.django_db
def test_with_two_teams_the_values_of_the_other_are_not_told_by_lowest_and_highest(
    scored: Cast, django_capture_on_commit_callbacks: Callable[..., object]
) -> None:
    from campaign.runs.services.submission import run_withdraw

    with django_capture_on_commit_callbacks(execute=True):
        run_withdraw(actor=scored.organiser, run=scored.task.runs.get(tag=TAGS[3]))
    leaderboard = publish(scored, "participants")
    data = json.loads(text_of(answer(scored.member, leaderboard.task.url("leaderboard_json", number=1))))
    topics = [topic for run in data["runs"] for of in run["measures"].values() for topic in of["topics"]]
    assert {(topic["low"], topic["median"], topic["high"]) for topic in topics} == {(None, None, None)}
    assert "–" in text_of(answer(scored.member, leaderboard.task.url("leaderboard_run", number=1, tag=TAGS[0])))


@pytest.mark.django_db
def test_only_a_public_board_publishes_the_qrels_and_ends_the_task(scored: Cast) -> None:
    for audience in ("participants", "anonymous"):
        publish(scored, audience)
        assert not Qrels.objects.filter(published_at__isnull=False).exists()
        assert Task.objects.get(pk=scored.task.pk).phase != Task.PUBLISHED
    topic = text_of(answer(None, scored.task.url("leaderboard_topic", number=2, topic="1")))
    assert "The judgments are shown when" in topic
    publish(scored, "public")
    assert Qrels.objects.filter(published_at__isnull=False).exists()
    assert Task.objects.get(pk=scored.task.pk).phase == Task.PUBLISHED


@pytest.mark.django_db
def test_a_run_keeps_its_pseudonym_and_none_is_given_once_names_are_public(scored: Cast) -> None:
    first, second = publish(scored, "anonymous"), publish(scored, "anonymous")
    assert first.run_ids == second.run_ids
    for url in (first.task.url("leaderboard_csv", number=number) for number in (1, 2)):
        assert "run-" in text_of(answer(None, url))
    lines = [text_of(answer(None, first.task.url("leaderboard_csv", number=number))) for number in (1, 2)]
    assert lines[0] == lines[1]
    publish(scored, "public")
    with pytest.raises(ValidationError, match="Leaderboard 3 names the runs publicly"):
        publish(scored, "anonymous")
    changes = text_of(answer(None, scored.task.url("leaderboard_changes", number=3)))
    assert "There is no leaderboard before this one" in changes, "pseudonyms are not set beside names"


@pytest.mark.django_db
def test_each_pseudonym_has_the_numbers_and_curves_of_its_run(scored: Cast) -> None:
    leaderboard = publish(scored, "anonymous")
    board = board_of_leaderboard(leaderboard)
    assert board.curves is not None
    values = values_of_leaderboard(leaderboard, board)
    evaluations = {evaluation.run_id: evaluation for evaluation in Evaluation.objects.filter(run__task=scored.task)}
    for place, run in enumerate(leaderboard.run_ids):
        assert np.array_equal(values[place], evaluations[run].matrix())
        assert board.curves.macro[place].tolist() == evaluations[run].curves["macro"]
        assert board.column("AP").mean[place] == evaluations[run].means["AP"]


@pytest.mark.django_db
def test_a_public_board_after_one_for_participants_can_be_read_by_them_with_its_changes(scored: Cast) -> None:
    publish(scored, "participants")
    publish(scored, "public")
    for page in ("leaderboard_changes", "leaderboard_detail"):
        assert answer(scored.member, scored.task.url(page, number=2)).status_code == 200
    assert "1 to 2" not in text_of(answer(None, scored.task.url("leaderboard_changes", number=2)))
    assert "Since" in text_of(answer(scored.organiser, scored.task.url("leaderboard_changes", number=2)))


@pytest.mark.django_db
@pytest.mark.parametrize("audience", ["anonymous", "public", "participants"])
def test_a_preview_is_what_the_audience_then_sees(scored: Cast, audience: str) -> None:
    query = f"?team={TEAMS[0].replace(' ', '+')}" if audience == "participants" else ""
    files = {name: scored.task.url(f"preview_{name}", audience=audience) + query for name in ("csv", "json")}
    seen = {name: text_of(answer(scored.organiser, url)) for name, url in files.items()}
    page = text_of(answer(scored.organiser, scored.task.url("preview_detail", audience=audience) + query))
    assert "nothing is published" in page
    assert not Leaderboard.objects.exists()
    publish(scored, audience)
    assert text_of(answer(scored.member, scored.task.url("leaderboard_csv", number=1))) == seen["csv"]
    published = json.loads(text_of(answer(scored.member, scored.task.url("leaderboard_json", number=1))))
    previewed = json.loads(seen["json"])
    for data in (published, previewed):
        data.pop("published_at", None)
    assert published == previewed
    assert [name for name in NAMES if name in page and audience == "anonymous"] == []


@pytest.mark.django_db
def test_organisers_choose_the_audience_on_the_page(scored: Cast) -> None:
    client = Client()
    client.force_login(scored.organiser)
    url = scored.task.url("leaderboard_publish")
    page = client.get(url).content.decode()
    for audience in ("participants", "anonymous", "public"):
        assert f'name="audience" value="{audience}"' in page
    assert re.search(r"Judged:\s+[\d.]+ %( to [\d.]+ %)? of the first 10 documents of a run", page)
    sent = {"note": "", "licence": "CC-BY-4.0", "terms": "Cite <b>us</b>.", "audience": "anonymous"}
    shown = client.get(confirm_publication(client, url, sent)["Location"]).content.decode()
    assert "Leaderboard 1 is published for everybody, without names." in shown
    assert "CC BY 4.0: use with credit" in shown
    assert "Cite &lt;b&gt;us&lt;/b&gt;." in shown
    assert 'value="CC-BY-4.0" selected' in client.get(url).content.decode()
    publish(scored, "public")
    assert "Not possible any more" in client.get(url).content.decode()
    data = json.loads(text_of(answer(None, scored.task.url("leaderboard_json", number=1))))
    assert (data["audience"], data["licence"], data["terms"]) == ("anonymous", "CC-BY-4.0", "Cite <b>us</b>.")


def test_pairs_of_an_anonymous_board_keep_their_p() -> None:
    rng = np.random.default_rng(4)
    facts = [RunFacts(f"tag{place}", f"team{place}", "automatic", 6) for place in range(5)]
    values = rng.random((5, 1, 6))
    computed = compute_board(facts, ["AP"], [str(topic) for topic in range(6)], values, Choice("t", "holm"))
    names = ["run-e", "run-a", "run-d", "run-b", "run-c"]
    found = anonymous_board(computed.board, names, {run.team: f"of {run.team}" for run in facts})
    p_of = pairs_by_name(computed.p[0], names)
    assert pairs_by_name(found.p_of_pairs(computed.p)[0], [run.tag for run in found.board.runs]) == p_of
    assert_same_figures(computed.board, found, names)
    assert np.array_equal(found.values(values)[0], values[1])


def pairs_by_name(p: Any, names: list[str]) -> dict[frozenset[str], float]:
    return {frozenset((names[a], names[b])): float(of) for (a, b), of in zip(all_pairs(len(names)), p, strict=True)}


def assert_same_figures(board: Any, found: Anonymous, names: list[str]) -> None:
    [before], [after] = board.columns, found.board.columns
    for place, run in enumerate(found.board.runs):
        was = names.index(run.tag)
        assert (after.mean[place], after.rank_first[place], after.letters[place]) == (
            before.mean[was],
            before.rank_first[was],
            before.letters[was],
        )


@pytest.mark.django_db
def test_published_pseudonyms_stay_when_the_site_has_another_key(scored: Cast, settings: Any) -> None:
    published = publish(scored, "anonymous")
    settings.SECRET_KEY = "another text that nobody has guessed"
    facts = [RunFacts(str(run), "Another team", "automatic", 3) for run in (*published.run_ids, 10**9)]
    of_runs, _ = pseudonyms(scored.task, [*published.run_ids, 10**9], facts)
    assert of_runs[:-1] == [run.tag for run in stored_board(str(published.board.name)).runs]


@pytest.mark.django_db
def test_a_run_that_is_not_stored_any_more_has_pseudonyms_as_well(scored: Cast) -> None:
    facts = [RunFacts("gone", "Team of the West", "automatic", 3)]
    [run], teams = pseudonyms(scored.task, [10**9], facts)
    assert PSEUDONYM.match(run)
    assert re.match(r"^team-[b-z2-9]{6}$", teams["Team of the West"])


@pytest.mark.sqlite("evaluation.selectors.audiences._live_board_ended")
@pytest.mark.django_db
def test_a_board_without_names_after_a_live_board_is_published_only_to_whoever_knows_that_names_were_shown(
    scored: Cast,
) -> None:
    task_update(actor=scored.organiser, task=scored.task, scores_shown=Task.LIVE)
    with pytest.raises(ValidationError, match="The live board names the runs"):
        publish(scored, "anonymous")
    task_update(actor=scored.organiser, task=scored.task, scores_shown=Task.MEANS)
    client, url = client_of(scored.organiser), scored.task.url("leaderboard_publish")
    told = (
        "the task had a live board, which names the runs. Readers who kept those scores can recognise the runs by equal"
    )
    assert told in text_of(client.get(url))
    sent = {"note": "", "licence": "", "terms": "", "audience": "anonymous"}
    assert told in text_of(client.post(url, sent))
    assert "Confirm that you know this" in text_of(confirm_publication(client, url, sent))
    with pytest.raises(ValidationError, match="Confirm that you know this"):
        publish(scored, "anonymous")
    assert not Leaderboard.objects.exists()
    publish(scored, "participants")
    shown = confirm_publication(client, url, sent, names_may_be_known="1")
    assert "Leaderboard 2 is published for everybody, without names." in text_of(client.get(shown["Location"]))


@pytest.mark.django_db
def test_a_live_board_is_refused_once_a_board_without_names_is_published(scored: Cast) -> None:
    publish(scored, "anonymous")
    with pytest.raises(ValidationError, match="the live board would tell whose runs are on it"):
        task_update(actor=scored.organiser, task=scored.task, scores_shown=Task.LIVE)
    assert Task.objects.get(pk=scored.task.pk).scores_shown == scored.task.scores_shown


@pytest.mark.django_db
def test_a_live_board_asks_where_another_round_has_a_board_without_names(scored: Cast) -> None:
    second = round_add(actor=scored.organiser, task=scored.task, slug="r2", title="Second", round_kind="development")
    publish(scored, "anonymous")
    first = Task.objects.get(pk=scored.task.pk)
    told = f"Equal scores then tell who is who in the round {first}, which has a board without names."
    token, address = make_token(scored.organiser), f"campaigns/{scored.campaign.slug}/tasks/r2/settings"
    refused = ask(address, token, method="PATCH", data={"scores_shown": Task.LIVE})
    assert (refused.status_code, refused.json()["errors"]) == (409, [{"field": "confirm", "message": told}])
    page, client = second.url("task_edit"), client_of(scored.organiser)
    fields = form_data(client.get(page), scores_shown=Task.LIVE)
    assert told in text_of(client.post(page, fields))
    assert Task.objects.get(pk=second.pk).scores_shown == Task.NOTHING
    client.post(page, {**fields, "confirmed": "1"})
    assert Task.objects.get(pk=second.pk).scores_shown == Task.LIVE


@pytest.mark.django_db
@pytest.mark.parametrize("named_by", ["a public board", "a live board", "a live board that ended"])
def test_a_board_without_names_asks_also_where_another_round_named_the_runs(scored: Cast, named_by: str) -> None:
    first = Task.objects.get(pk=scored.task.pk)
    second = round_add(actor=scored.organiser, task=first, slug="r2", title="Second", round_kind="development")
    third = round_add(actor=scored.organiser, task=second, slug="r3", title="Third", round_kind="test")
    assert names_were_shown(third, "anonymous") == ""
    if named_by == "a public board":
        publish(scored, "public")
    else:
        for shown in [Task.LIVE, Task.NOTHING][: 1 + named_by.endswith("ended")]:
            task_update(actor=scored.organiser, task=Task.objects.get(pk=first.pk), scores_shown=shown)
    told = names_were_shown(third, "anonymous")
    assert told.startswith(f"The round {first} shows or showed runs with their names.")
    assert names_were_shown(third, "public") == ""


@pytest.mark.django_db
def test_a_public_board_says_by_page_program_and_command_that_it_tells_who_is_who_on_a_board_without_names(
    scored: Cast,
) -> None:
    publish(scored, "anonymous")
    told = "By equal scores readers then know who is who on leaderboard 1."
    assert told in text_of(client_of(scored.organiser).get(scored.task.url("leaderboard_publish")))
    address, token = f"campaigns/{scored.campaign.slug}/tasks/{scored.task.slug}", make_token(scored.organiser)
    follows = {one["audience"]: one["consequences"] for one in ask(f"{address}/publication", token).json()["audiences"]}
    assert {audience for audience, said in follows.items() if told in said} == {"public"}
    refused = ask(f"{address}/leaderboards", token, method="POST", data={"audience": "public"})
    assert (refused.status_code, told in refused.content.decode()) == (409, True)
    written = io.StringIO()
    at = f"{scored.campaign.slug}/{scored.task.slug}"
    call_command("publish_leaderboard", at, "--as", scored.organiser.username, stdout=written)
    assert told in written.getvalue()


@pytest.mark.django_db
def test_a_public_board_names_other_rounds_that_have_a_board_without_names(scored: Cast) -> None:
    first = Task.objects.get(pk=scored.task.pk)
    second = round_add(actor=scored.organiser, task=first, slug="r2", title="Second", round_kind="test")
    publish(scored, "anonymous")
    [told] = told_by_names(second, "public")
    assert told == f"Equal scores then tell who is who in the round {first}, which has a board without names."
    assert told_by_names(second, "participants") == []


def would_be_published(scored: Cast) -> tuple[bytes, ...]:
    """Every file of the anonymous board that publishing would store now."""
    working_board_compute(task=scored.task)
    working = working_board(scored.task)
    assert working is not None
    draft = draft_for(actor=scored.organiser, task=scored.task, working=working, audience=ANONYMOUS)
    draft.leaderboard.published_at = scored.task.created_at  # else it is the moment of now
    arrays = (array_bytes(draft.values), array_bytes(draft.p_of_pairs))
    return board_bytes(draft.board), draft.export().encode(), *arrays


def test_an_anonymous_board_has_the_same_bytes_whatever_equal_runs_of_a_team_are_called(scored: Cast) -> None:
    """Which of them is the best of the team, and so which one has p, would else tell which name comes first."""
    BoardSettings.objects.filter(task=scored.task).delete()
    BoardSettings.objects.create(task=scored.task, test="t", correction="holm", family=BEST_OF_TEAMS)
    ranking = ["a", "x", "b"]
    equal = [
        make_valid_run(scored.task, scored.team, tag, dict.fromkeys(("1", "2", "3"), ranking)).pk
        for tag in ("equal-1", "equal-2", "equal-3")
    ]
    task_score(task=scored.task, report=lambda done, total: None)
    published = set()
    for tags in permutations(("equal-1", "equal-2", "equal-3")):
        Run.objects.filter(pk__in=equal).update(tag=Concat(Value("other-"), "tag"))
        for pk, tag in zip(equal, tags, strict=True):
            Run.objects.filter(pk=pk).update(tag=tag)
        published.add(would_be_published(scored))
    assert len(published) == 1


def rename(scored: Cast) -> None:
    """Turn the order of all tags around, and that of all teams."""
    runs, teams = list(Run.objects.filter(task=scored.task)), list(Team.objects.filter(name__in=TEAMS))
    tags, names = sorted((run.tag for run in runs), reverse=True), sorted((team.name for team in teams), reverse=True)
    Run.objects.filter(task=scored.task).update(tag=Concat(Value("other-"), "tag"))
    for run, tag in zip(sorted(runs, key=lambda run: run.tag), tags, strict=True):
        Run.objects.filter(pk=run.pk).update(tag=tag)
    for team in teams:
        Team.objects.filter(pk=team.pk).update(name=f"other-{team.pk}", name_skeleton=f"other-{team.pk}")
    for team, name in zip(sorted(teams, key=lambda team: team.name), names, strict=True):
        team.name = name
        team.save()


def upload_in_another_order(scored: Cast) -> None:
    """Turn around what stands under the keys of the runs, and so the order in which they came, at other moments."""
    rows = list(Run.objects.filter(task=scored.task).order_by("pk").values())
    Run.objects.filter(task=scored.task).update(
        tag=Concat(Value("other-"), "tag"), tag_skeleton=Concat(Value("other-"), "tag")
    )
    for place, (at, run) in enumerate(zip(rows, reversed(rows), strict=True)):
        sent = {name: value for name, value in run.items() if name not in ("id", "submitted_at")}
        moment = at["submitted_at"] - timedelta(days=place)
        Run.objects.filter(pk=at["id"]).update(**sent, submitted_at=moment)
    score_anew(scored)


def score_anew(scored: Cast) -> None:
    Evaluation.objects.filter(run__task=scored.task).delete()
    task_score(task=scored.task, report=lambda done, total: None)


def exchange_keys_of_teams(scored: Cast) -> None:
    """The first and the last team that sent runs change places under each other's key, with all that is theirs."""
    first, last = Team.objects.filter(runs__task=scored.task).distinct().order_by("pk")[::2]
    rows = {team.pk: Team.objects.filter(pk=team.pk).values().get() for team in (first, last)}
    for pk in rows:
        away = f"other-{pk}"
        Team.objects.filter(pk=pk).update(name=away, name_skeleton=away, slug=away, invitation_key=away)
    for of, to in ((first.pk, last.pk), (last.pk, first.pk)):
        Team.objects.filter(pk=to).update(**{name: value for name, value in rows[of].items() if name != "id"})
    between = make_team("between")
    for relation in (one for one in Team._meta.related_objects if one.one_to_many):
        for of, to in ((first, between), (last, first), (between, last)):
            relation.related_model._base_manager.filter(**{relation.field.name: of}).update(**{relation.field.name: to})
    between.delete()


def send_other_files(scored: Cast) -> None:
    """The same rankings with other scores, so that the order of the runs by the SHA-256 of file and table is turned around."""
    runs = list(Run.objects.filter(task=scored.task).order_by("sha256"))
    tables = sorted(run.table.name for run in runs)
    for place, run in enumerate(runs):
        wanted = len(runs) - 1 - place, len(runs) - 1 - tables.index(run.table.name)
        Run.objects.filter(pk=run.pk).update(**file_at(run, wanted, len(runs)))
    sent = Run.objects.filter(task=scored.task).order_by("sha256").values_list("pk", flat=True)
    assert list(sent) == [run.pk for run in reversed(runs)]
    score_anew(scored)


def file_at(run: Run, wanted: tuple[int, int], runs: int) -> dict[str, object]:
    """Columns of a file of the same ranking, whose SHA-256 and that of whose table stand in these parts of so many."""
    lines = ranking_of(run)
    for number in range(1, 10_000):
        scored = (f"{topic} Q0 {docno} {rank} {(100 - rank) * number} {run.tag}\n" for topic, docno, rank in lines)
        content = "".join(scored).encode()
        if part_of(hashlib.sha256(content).hexdigest(), runs) != wanted[0]:
            continue
        table = check_run(io.BytesIO(content), RunRules()).table
        assert table is not None
        parquet = run_table_to_parquet(table)
        if part_of(hashlib.sha256(parquet).hexdigest(), runs) == wanted[1]:
            stored = store(ContentFile(content), folder="runs")
            kept = store(ContentFile(parquet), folder="tables")
            return {"file": stored.name, "sha256": stored.sha256, "size": stored.size, "table": kept.name}
    raise AssertionError("no such file was found")


def part_of(checksum: str, parts: int) -> int:
    return int(checksum[:8], 16) * parts >> 32


OF_EACH_TIME = re.compile(
    r'\d{4}-\d\d-\d\dT[\d:.]+(\+00:00|Z)|\d{8}T\d{6}Z|\d\d?:\d\d\b|token" value="[^"]+"'
    r"|urn:uuid:[0-9a-f-]{36}|/news/[0-9]+/|\"id\": ?[0-9]+,"
)
OF_THE_SITE = ("api_", "metrics", "leaderboard_", "health", "readyz", "token_list")
"""Addresses that `addresses` has, and those that tell of jobs and tokens."""
TELLING_HEADERS = ("ETag", "Content-Disposition", "Location", "Link")
"""The first of a feed is a hash of moments, too."""


def around(leaderboard: Leaderboard) -> dict[str, str]:
    """The pages and answers of the API about the site, the campaign and the task: all whose addresses need nothing else."""
    at = {"campaign": leaderboard.task.campaign.slug, "task": leaderboard.task.slug, "topic": "1", "docno": "a"}
    world = World(Cast.__new__(Cast), leaderboard.published_by, at)
    rows = (row for row in ROWS if row.method == GET and not row.name.startswith(OF_THE_SITE))
    found = {
        row.name: world.address(row) for row in rows if fields_of("".join(map(str, row.kwargs.values()))) <= set(at)
    }
    numbers = {"number": "1", "version": "1", "file_format": "csv"}
    for path, operations in api.get_openapi_schema()["paths"].items():
        if "get" in operations and fields_of(path) <= {*at, *numbers}:
            found[f"api {path}"] = path.format(**at, **numbers)
    return found


def fields_of(text: str) -> set[str]:
    return set(re.findall(r"{(\w+)}", text))


def shown_at_all_addresses(leaderboard: Leaderboard, cast: Cast) -> dict[str, str]:
    """What visitors and a team without runs get, without what differs each time: moments and tokens of forms."""
    shown = {}
    listed = json.loads(
        text_of(client_of(None).get(leaderboard.task.url("leaderboard_json", number=leaderboard.number)))
    )
    of_board = {url: name for name, url, _ in addresses(leaderboard, min(run["tag"] for run in listed["runs"]))}
    others = {url: name for name, url in around(leaderboard).items()}
    for reader in (None, cast.other_member, cast.assessor):
        client = client_of(reader)
        token = {"HTTP_AUTHORIZATION": f"Bearer {make_token(reader)}"} if reader else {}
        for url, name in {**({} if reader else of_board), **others}.items():
            response = client.get(url, **(token if url.startswith("/api/") else {}))
            headers = [f"{one}: {response.get(one, '')}" for one in TELLING_HEADERS[name == "news_feed" :]]
            text = "\n".join([str(response.status_code), *headers, text_of(response)])
            shown[f"{reader and reader.username} {name} {url}"] = OF_EACH_TIME.sub("", text)
    return shown


@pytest.mark.django_db
def test_a_visitor_sees_the_same_bytes_at_every_address_of_an_anonymous_board_whatever_runs_and_teams_are_called(
    scored: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And in whichever order they were uploaded, whatever keys teams and checksums files have, also where runs are equal.

    Pseudonyms follow the runs here, and not the keys of their rows and a secret of the site, as on a site of its own.
    """
    BoardSettings.objects.filter(task=scored.task).update(baseline="")
    same = {topic: ["a", "x", "b"] for topic in ("1", "2", "3")}
    for tag, team in (("equal-1", scored.team), ("equal-2", scored.team), ("equal-3", Team.objects.get(name=TEAMS[1]))):
        make_valid_run(scored.task, team, tag, same)
    task_score(task=scored.task, report=lambda done, total: None)
    monkeypatch.setattr(pseudonyms_of, "_new", by_what_was_sent)
    shown = []
    for changes in ((), (rename, exchange_keys_of_teams), (upload_in_another_order, send_other_files)):
        with transaction.atomic():
            for change in changes:
                change(scored)
            cache.clear()
            working_board_compute(task=scored.task)
            leaderboard = publish(scored, ANONYMOUS)
            published_report_compute(leaderboard=leaderboard, report=lambda done, total, what: None)
            shown.append(shown_at_all_addresses(leaderboard, scored))
            transaction.set_rollback(True)
    assert len(shown[0]) > 500
    for other in shown[1:]:
        assert [address for address, text in shown[0].items() if other[address] != text] == []


def by_what_was_sent(kind: str, of: str, taken: Iterable[str]) -> str:
    """In place of `_new`: of a team by the rankings of its runs, of a run by its own and its team, and how many have the name."""
    runs = Run.objects.filter(**{"pk" if kind == "run" else "team": int(of.partition(":")[2])})
    of_team = Run.objects.filter(team__in=runs.values("team"), task__in=runs.values("task"))
    sent = hashlib.sha256(f"{kind} {sorted(map(ranking_of, runs))} of {sorted(map(ranking_of, of_team))}".encode())
    named = "".join(LETTERS[byte % len(LETTERS)] for byte in sent.digest()[:5])
    used = set(taken)
    return next(name for letter in LETTERS if (name := f"{kind}-{named}{letter}") not in used)


def ranking_of(run: Run) -> list[tuple[str, str, int]]:
    return list(run_table(run, ("topic", "docno", "rank")).iter_rows())
