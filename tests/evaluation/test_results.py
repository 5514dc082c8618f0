"""What teams are told of a published board at home, on the page of a run and in the list of runs: what the board shows them."""

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest
from django.core.cache import caches
from django.db import connection
from django.test import TestCase
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Mail, Membership, Notice, Role, Run, Task, Team, User
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.models import Leaderboard
from evaluation.selectors.board_views import LeaderboardView, leaderboard_view
from evaluation.selectors.boards import stored_board
from evaluation.selectors.results import NEWS, in_words, listed_scores, results_to_read, standing_of, topics_lost
from evaluation.services.leaderboards import leaderboard_mail
from evaluation.services.scoring import scores_request
from tests.campaign.storage.makers import damage
from tests.campaign.teams.makers import Sent
from tests.conftest import MadeOnce
from tests.evaluation.test_audiences import NAMES, TAGS, client_of, make_scored, publish
from tests.factories import Cast

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_scored) as scored:
        yield scored


@pytest.fixture
def scored(made: Cast, db: None) -> Cast:
    return replace(made, task=Task.objects.get(pk=made.task.pk))


def page(user: User, url: str) -> str:
    html = client_of(user).get(url).content.decode()
    return " ".join(re.sub(r"<[^>]*>", " ", html.partition("<main")[2]).split())


def of(tag: str) -> Run:
    return Run.objects.select_related("team", "task__campaign").get(tag=tag)


def other_member(tag: str) -> User:
    return User.objects.filter(pk__in=Membership.objects.filter(team=of(tag).team).values("user")).get()


@pytest.mark.parametrize("audience", [PUBLIC, ANONYMOUS])
def test_a_run_stands_where_the_whole_board_has_it(scored: Cast, audience: str) -> None:
    leaderboard = publish(scored, audience)
    column = leaderboard_view(scored.member, leaderboard).board.columns[0]
    place = leaderboard.run_ids.index(of(TAGS[0]).pk)
    standing = standing_of(scored.member, of(TAGS[0]))
    assert standing is not None
    assert standing.score == f"{column.mean[place]:.4f}"
    assert standing.rank.partition("–")[0] == str(column.rank_first[place])
    assert standing.runs == 4
    assert standing.median == f"{np.median(column.mean):.4f}"
    shown = page(scored.member, scored.task.url("run_scores", tag=TAGS[0]))
    assert f"{standing.rank} of 4" in shown
    assert f"Median of all ranked runs {standing.median}" in shown
    assert (
        leaderboard.get_absolute_url()
        in client_of(scored.member).get(scored.task.url("run_scores", tag=TAGS[0])).content.decode()
    )


def test_a_board_for_participants_tells_of_no_rank_no_number_of_runs_and_no_median(scored: Cast) -> None:
    publish(scored, PARTICIPANTS)
    standing = standing_of(scored.member, of(TAGS[0]))
    assert standing is not None
    assert (standing.rank, standing.rank_range, standing.runs, standing.median) == ("", "", 0, "")
    shown = page(scored.member, scored.task.url("run_scores", tag=TAGS[0]))
    assert "Rank by" not in shown
    assert "Median of all" not in shown
    [told] = results_to_read(scored.member)
    assert told.text.startswith(f"Scores of your 2 ranked runs are out: the best has AP {_best(scored)}")
    assert " of 4" not in told.text
    assert "median of all" not in told.text


def _best(scored: Cast) -> str:
    found = listed_scores(scored.member, scored.task)
    assert found is not None
    return max(found.by_run.values())


@pytest.mark.parametrize("audience", [PUBLIC, ANONYMOUS, PARTICIPANTS])
def test_nobody_reads_a_name_or_a_score_of_another_team_that_the_board_does_not_show(
    scored: Cast, audience: str
) -> None:
    publish(scored, audience)
    own = {of(tag).pk for tag in TAGS[:2]}
    home = page(scored.member, reverse("home"))
    run = page(scored.member, scored.task.url("run_scores", tag=TAGS[0]))
    runs = page(scored.member, scored.task.url("run_list"))
    for hidden in (TAGS[2], TAGS[3], *NAMES[5:]):
        assert hidden not in home + run + runs
    found = listed_scores(scored.member, scored.task)
    assert found is not None
    if audience == PARTICIPANTS:
        assert set(found.by_run) == own
    for tag in TAGS[:2]:
        assert found.by_run[of(tag).pk] in runs


def test_before_a_publication_nobody_is_told_anything(scored: Cast) -> None:
    assert standing_of(scored.member, of(TAGS[0])) is None
    assert results_to_read(scored.member) == []
    assert listed_scores(scored.member, scored.task) is None
    assert listed_scores(scored.organiser, scored.task) is None


def test_the_home_page_says_rank_range_median_and_the_topics_where_most_was_lost(scored: Cast) -> None:
    leaderboard = publish(scored, PUBLIC)
    user = other_member(TAGS[3])
    [told] = results_to_read(user)
    standing = standing_of(user, of(TAGS[3]))
    assert standing is not None
    place = f"{standing.measure} {standing.score}, rank interval {standing.rank_range} of {standing.runs}"
    begin = f"The scores of your ranked run are out: {place}; median of all ranked runs {standing.median}; topics "
    assert told.text.startswith(begin)
    assert told.in_words.endswith("where this run lost most against the median: 1, 2 and 3")
    assert told.step.url == leaderboard.get_absolute_url()
    assert told.in_words in page(user, reverse("whats_new"))
    shown = page(user, reverse("home"))
    assert told.text in shown
    assert re.search(r"against the median: 1 ?, 2 and 3", shown)
    assert "You have no next steps" not in shown


def withdraw_after_publication(scored: Cast) -> None:
    publish(scored, PUBLIC)
    Run.objects.filter(tag=TAGS[1]).update(state=Run.WITHDRAWN)


def publish_without(**values: object) -> Callable[[Cast], None]:
    """Of the two runs of the team, the second one is no ranked run when scores are computed."""

    def published(scored: Cast) -> None:
        Run.objects.filter(tag=TAGS[1]).update(**values)
        with TestCase.captureOnCommitCallbacks(execute=True):
            scores_request(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
        publish(scored, PUBLIC)

    return published


def publish_twice(scored: Cast) -> None:
    publish(scored, ANONYMOUS)
    publish(scored, PUBLIC)


TWO, ONE = "Scores of your 2 ranked runs are out: the best has AP ", "The scores of your ranked run are out: AP "


@pytest.mark.parametrize(
    ("published", "begin", "runs"),
    [
        (lambda scored: publish(scored, PUBLIC), TWO, 4),
        (lambda scored: publish(scored, ANONYMOUS), TWO, 4),
        (publish_twice, TWO, 4),
        (publish_without(after_qrels=True), ONE, 3),
        (publish_without(is_ranked=False), ONE, 3),
        (publish_without(state=Run.WITHDRAWN), ONE, 3),
        (withdraw_after_publication, ONE, 4),
    ],
    ids=["public", "anonymous", "two boards", "a late run", "a run left out", "withdrawn before", "withdrawn after"],
)
def test_what_is_said_counts_the_ranked_runs_alone(
    scored: Cast, published: Callable[[Cast], None], begin: str, runs: int
) -> None:
    published(scored)
    [told] = results_to_read(scored.member)
    newest = Leaderboard.objects.select_related("qrels", "task__campaign").latest("number")
    column = leaderboard_view(scored.member, newest).board.columns[0]
    assert told.text.startswith(begin)
    assert told.text.count("out") == 1
    assert f" of {runs}; median of all ranked runs {np.median(column.mean):.4f}" in told.text
    assert len(column.mean) == runs
    assert "where it " not in told.text
    assert told.step.label == f"See leaderboard {newest.number}"


def with_first_column(seen: LeaderboardView, **changed: IntArray | FloatArray) -> LeaderboardView:
    """The view with other arrays in the first column of its board."""
    first, *others = seen.board.columns
    return replace(seen, board=replace(seen.board, columns=(replace(first, **changed), *others)))


def test_of_equal_runs_of_a_team_the_first_on_the_board_is_told(scored: Cast) -> None:
    publish(scored, PUBLIC)
    board = Leaderboard.objects.select_related("qrels", "task__campaign").get()
    seen = leaderboard_view(scored.member, board)
    places = sorted(seen.run_ids.index(of(tag).pk) for tag in TAGS[:2])
    mean, topics = seen.board.columns[0].mean.copy(), [topics_lost(seen, place) for place in places]
    assert topics[0] != topics[1]
    mean[places] = mean[places[0]]
    text, lost = in_words(with_first_column(seen, mean=mean), places)
    assert text.startswith(f"{TWO}{mean[places[0]]:.4f}, rank")
    assert lost == topics[0]


def test_the_rank_interval_that_is_told_is_that_of_the_run_with_the_best_value(scored: Cast) -> None:
    """Another run of the team may have an interval that begins at a better rank: no sentence may call the first one the best."""
    publish(scored, PUBLIC)
    board = Leaderboard.objects.select_related("qrels", "task__campaign").get()
    seen = leaderboard_view(scored.member, board)
    places = [seen.run_ids.index(of(tag).pk) for tag in TAGS[:2]]
    column = seen.board.columns[0]
    best = max(places, key=lambda place: float(column.mean[place]))
    rank_best, rank_worst = np.full_like(column.rank_best, 1), np.full_like(column.rank_worst, 2)
    rank_worst[best] = 4
    text, _ = in_words(with_first_column(seen, rank_best=rank_best, rank_worst=rank_worst), places)
    assert text.startswith(
        f"Scores of your 2 ranked runs are out: the best has AP {_best(scored)}, rank interval 1–4 of 4; "
    )
    assert "best rank" not in text


def test_the_topics_lost_are_those_furthest_below_the_median_of_all(scored: Cast) -> None:
    leaderboard = publish(scored, PUBLIC)
    seen = leaderboard_view(scored.member, leaderboard)
    values = seen.values[:, 0, :]
    for place in range(len(values)):
        behind = {
            topic: float(np.median(values[:, at]) - values[place, at]) for at, topic in enumerate(seen.board.topics)
        }
        below = sorted((topic for topic in behind if behind[topic] > 0), key=lambda topic: -behind[topic])
        assert topics_lost(seen, place) == below[:3]


def test_others_than_members_of_teams_with_runs_are_told_of_no_results(scored: Cast) -> None:
    publish(scored, PUBLIC)
    for user in (scored.organiser, scored.assessor, scored.stranger):
        assert results_to_read(user) == []


def test_withdrawn_runs_old_boards_and_archived_campaigns_are_no_news(scored: Cast) -> None:
    publish(scored, PUBLIC)
    Run.objects.filter(tag=TAGS[0]).update(state=Run.WITHDRAWN)
    assert standing_of(scored.member, of(TAGS[0])) is None
    [told] = results_to_read(scored.member)
    assert told.text.startswith("The scores of your ranked run are out")
    Campaign.objects.update(closed_at=timezone.now())
    assert len(results_to_read(scored.member)) == 1
    Campaign.objects.update(archived_at=timezone.now())
    assert results_to_read(scored.member) == []


def test_a_board_is_news_for_a_month(scored: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    publish(scored, PUBLIC)
    later = timezone.now() + NEWS
    monkeypatch.setattr(timezone, "now", lambda: later - timedelta(hours=1))
    assert len(results_to_read(scored.member)) == 1
    monkeypatch.setattr(timezone, "now", lambda: later + timedelta(hours=1))
    assert results_to_read(scored.member) == []


@pytest.mark.parametrize("audience", [PUBLIC, ANONYMOUS, PARTICIPANTS])
def test_the_mail_says_to_the_members_of_a_team_what_their_home_page_says(scored: Cast, audience: str) -> None:
    with Sent() as sent:
        publish(scored, audience)
    for user in (scored.member, other_member(TAGS[2]), other_member(TAGS[3])):
        [told] = results_to_read(user)
        [mail] = [mail for mail in sent.mails if user.email in mail.to and "leaderboard 1" in mail.subject]
        assert f"\n{told.in_words}.\n" in mail.body
        foreign = [tag for tag in TAGS if of(tag).team not in Team.objects.of(user)]
        assert [name for name in (*foreign, *NAMES[5:]) if name in mail.body] == []
        assert (" of 4;" in mail.body) is (audience != PARTICIPANTS)
        assert ("median of all" in mail.body) is (audience != PARTICIPANTS)


def test_whoever_has_no_run_on_the_board_is_mailed_no_result(scored: Cast) -> None:
    with Sent() as sent:
        publish(scored, PUBLIC)
        Run.objects.filter(tag=TAGS[3]).update(state=Run.WITHDRAWN)  # before the job of the mails began
    for user in (scored.assessor, other_member(TAGS[3])):
        [mail] = [mail for mail in sent.mails if user.email in mail.to and "leaderboard 1" in mail.subject]
        assert "are out" not in mail.body
        assert "scores of your" not in mail.body.lower()


def test_the_mails_of_a_board_are_written_once_however_often_their_job_runs(scored: Cast) -> None:
    with Sent() as sent:
        board = publish(scored, PUBLIC)
    asked = {
        "notice_id": Notice.objects.get(title__endswith="leaderboard 1 is published").pk,
        "leaderboard_id": board.pk,
    }
    written = Mail.objects.filter(subject__endswith="leaderboard 1 is published")
    addresses = sorted(written.values_list("address", flat=True))
    assert len(addresses) == len(set(addresses)) == len([1 for mail in sent.mails if "is published" in mail.subject])
    assert leaderboard_mail(**asked) == 0
    written.filter(address=scored.member.email).delete()  # as if the worker had been killed before this one
    assert leaderboard_mail(**asked) == 1
    assert sorted(written.values_list("address", flat=True)) == addresses


def test_the_topics_lost_lead_to_their_pages_where_the_reader_may_open_them(scored: Cast) -> None:
    publish(scored, PUBLIC)
    user = other_member(TAGS[3])
    [told] = results_to_read(user)
    assert [step.label for step in told.named] == ["1", "2", "3"]
    html = client_of(user).get(reverse("home")).content.decode()
    for step in told.named:
        assert f'href="{step.url}">{step.label}</a>' in html
        assert client_of(user).get(step.url).status_code == 200


def test_the_topics_lost_on_a_board_for_participants_are_no_links(scored: Cast) -> None:
    publish(scored, PARTICIPANTS)
    for user in (scored.member, other_member(TAGS[3])):
        [told] = results_to_read(user)
        assert [step.url for step in told.named if step.url] == []
        assert "<a>" not in client_of(user).get(reverse("home")).content.decode()


@pytest.mark.parametrize("audience", [PUBLIC, PARTICIPANTS])
def test_a_board_is_read_once_for_all_members_of_a_team_and_anew_for_others_and_for_other_runs(
    scored: Cast, audience: str
) -> None:
    publish(scored, audience)
    first = results_to_read(scored.member)
    with CaptureQueriesContext(connection) as asked:
        assert results_to_read(scored.member) == first
    assert len(asked) == (2 if audience == PUBLIC else 4)
    [other] = results_to_read(other_member(TAGS[3]))
    assert other.text != first[0].text
    Run.objects.filter(tag=TAGS[0]).update(state=Run.WITHDRAWN)
    assert results_to_read(scored.member)[0].text.startswith("The scores of your ranked run are out")


def test_a_board_whose_file_is_damaged_takes_no_home_page_no_list_of_runs_and_no_mail_with_it(scored: Cast) -> None:
    board = publish(scored, ANONYMOUS)  # has a file of its own
    stored_board.cache_clear()  # type: ignore[attr-defined]
    caches["bulk"].clear()
    damage(str(board.board))
    [told] = results_to_read(scored.member)
    assert (told.in_words, told.step.url) == ("Scores of your 2 ranked runs are out", board.get_absolute_url())
    assert "Scores of your 2 ranked runs are out" in page(scored.member, reverse("home"))
    assert TAGS[0] in page(scored.member, scored.task.url("run_list"))
    notice = Notice.objects.get(title__endswith="leaderboard 1 is published")
    assert leaderboard_mail(notice_id=notice.pk, leaderboard_id=board.pk) == notice.people
    mail = Mail.objects.get(batch=notice.batch, address=scored.member.email)
    assert "\nScores of your 2 ranked runs are out.\n" in mail.body


def test_what_is_kept_for_the_members_of_a_team_is_not_told_to_those_who_see_more(scored: Cast) -> None:
    publish(scored, PARTICIPANTS)
    [as_member] = results_to_read(scored.member)
    role = Role.objects.create(campaign=scored.campaign, user=scored.member, role=Role.ORGANISER)
    [as_organiser] = results_to_read(scored.member)
    assert " of 4;" in as_organiser.text
    assert all(step.url for step in as_organiser.named)
    role.delete()
    assert results_to_read(scored.member) == [as_member]


def test_a_board_without_a_run_of_the_team_hides_no_earlier_board_that_has_one(scored: Cast) -> None:
    publish(scored, PUBLIC)
    theirs = Run.objects.filter(team=scored.team)
    theirs.update(state=Run.WITHDRAWN)
    with TestCase.captureOnCommitCallbacks(execute=True):
        scores_request(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
    publish(scored, PUBLIC)
    theirs.update(state=Run.VALID)
    [told] = results_to_read(scored.member)
    assert told.step is not None
    assert told.step.label == "See leaderboard 1"


def test_by_a_measure_of_how_much_is_judged_no_run_is_the_best_and_no_topic_lost(scored: Cast) -> None:
    Task.objects.filter(pk=scored.task.pk).update(measures=["Judged@10", "AP"])
    with TestCase.captureOnCommitCallbacks(execute=True):
        scores_request(actor=scored.organiser, task=Task.objects.get(pk=scored.task.pk))
    publish(scored, PUBLIC)
    [told] = results_to_read(scored.member)
    assert (told.text, list(told.named)) == ("Scores of your 2 ranked runs are out", [])
