"""The policy of scores: policy x feedback set x phase x role x format, by searching every answer for every number."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.test import Client

from campaign.models import Run, Task, Topic, User
from campaign.setup.selectors.score_visibility_in_words import shown_in_words
from campaign.setup.services.tasks import task_update
from evaluation.boards.audiences import AUDIENCES
from evaluation.models import WorkingBoard
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import scores_request
from tests.api.makers import make_token
from tests.conftest import MadeOnce
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_cast, make_topics

TOPICS, FEEDBACK = ["1", "2", "3", "4"], ["1", "2"]
RANKS = {"own": [3, 7, 11, 14], "other": [13, 17, 19, 23]}
"""Where each run has the one relevant document of each topic: its AP is 1 through this."""
READERS = ("anonymous", "stranger", "member", "other_member", "assessor")
PAGES: list[tuple[str, dict[str, Any]]] = [
    ("task_detail", {}),
    ("scores_card", {}),
    ("run_list", {}),
    ("leaderboard_latest", {}),
    ("score_board", {}),
    ("score_board_csv", {}),
    ("scores_picture", {"measure": "AP"}),
    ("scores_run_file", {"tag": "own", "file_format": "json"}),
    ("preview_json", {"audience": "public"}),
    ("live_board", {}),
    ("live_csv", {}),
    ("live_json", {}),
    ("live_picture", {"measure": "AP"}),
    *[
        (name, {"tag": tag, **more})
        for tag in RANKS
        for name, more in (
            ("run_detail", {}),
            ("run_scores", {}),
            ("run_scores_file", {"file_format": "csv"}),
            ("run_scores_file", {"file_format": "json"}),
        )
    ],
]
PUBLISHED: list[tuple[str, dict[str, Any]]] = [
    ("leaderboard_detail", {"number": 1}),
    ("leaderboard_csv", {"number": 1}),
    ("leaderboard_json", {"number": 1}),
    ("leaderboard_run", {"number": 1, "tag": "own"}),
    ("leaderboard_run_file", {"number": 1, "tag": "other", "file_format": "csv"}),
    ("leaderboard_topic", {"number": 1, "topic": "1"}),
]
API = ["", "/runs/own", "/runs/own/scores", "/runs/other/scores", "/live-board", "/leaderboards", "/leaderboards/1"]


def numbers(tag: str) -> dict[str, float]:
    """Every number that could be told of a run, by its name."""
    values = {topic: 1 / rank for topic, rank in zip(TOPICS, RANKS[tag], strict=True)}
    means = {
        "mean of all": list(values.values()),
        "mean for feedback": [values[topic] for topic in FEEDBACK],
        "mean of the rest": [value for topic, value in values.items() if topic not in FEEDBACK],
    }
    return {
        **{f"{tag} {topic}": value for topic, value in values.items()},
        **{f"{tag} {name}": sum(of) / len(of) for name, of in means.items()},
    }


def of_own(scope: str, topics: list[str], *, by_topic: bool, tag: str = "own") -> set[str]:
    return {f"{tag} {scope}", *(f"{tag} {topic}" for topic in topics if by_topic)}


def expected(policy: str, role: str, *, feedback: bool, published: bool) -> set[str]:
    """What the policy says, written down once more."""
    if published:
        scope, topics = ("mean of the rest", ["3", "4"]) if feedback else ("mean of all", TOPICS)
        return set().union(*(of_own(scope, topics, by_topic=True, tag=tag) for tag in RANKS))
    scope, topics = ("mean for feedback", FEEDBACK) if feedback else ("mean of all", TOPICS)
    told = {f"{tag} {scope}" for tag in RANKS} if policy == Task.LIVE else set()
    tag = {"member": "own", "other_member": "other"}.get(role)
    if tag and policy != Task.NOTHING:
        told |= of_own(scope, topics, by_topic=policy != Task.MEANS, tag=tag)
    return told


class Reader:
    """A person with a browser and a token for the API; anonymous without a user."""

    def __init__(self, cast: Cast, role: str) -> None:
        user: User | None = getattr(cast, role, None)
        self.task, self.client, self.headers = cast.task, Client(), {}
        if user is not None:
            self.client.force_login(user)
            self.headers = {"authorization": f"Bearer {make_token(user)}"}

    def told(self, *, published: bool) -> dict[str, set[str]]:
        """Which of the numbers each address tells."""
        secrets = {name: value for tag in RANKS for name, value in numbers(tag).items()}
        pages = [*PAGES, *PUBLISHED] if published else PAGES
        urls = [self.task.url(name, **kwargs) for name, kwargs in pages]
        answers = [(url, self.client.get(url)) for url in urls]
        base = f"/api/v1/campaigns/{self.task.campaign.slug}/tasks/{self.task.slug}"
        answers += [(base + part, Client().get(base + part, headers=self.headers)) for part in API]
        assert {answer.status_code for _, answer in answers} <= {200, 302, 401, 403, 404}
        texts = {url: answer.getvalue().decode() for url, answer in answers if answer.status_code == 200}
        return {url: {name for name, value in secrets.items() if tells(text, value)} for url, text in texts.items()}


def tells(text: str, value: float) -> bool:
    return f"{value:.4f}" in text or str(value)[:8] in text


@pytest.fixture(scope="module")
def made(made_once: MadeOnce) -> Iterator[Cast]:
    with made_once(make_played) as played:
        yield played


@pytest.fixture
def played(made: Cast, db: None) -> Cast:
    return made


def make_played() -> Cast:
    """Two teams with a run each; scored when the test has settled the policy."""
    cast = make_cast(measures=["AP"])
    make_topics(cast.task, TOPICS)
    for (tag, ranks), team in zip(RANKS.items(), (cast.team, cast.other_team), strict=True):
        lists = {topic: [*(f"n{i}" for i in range(1, rank)), "rel"] for topic, rank in zip(TOPICS, ranks, strict=True)}
        make_valid_run(cast.task, team, tag, lists)
    make_qrels(cast.task, {topic: {"rel": 1, "n1": 0} for topic in TOPICS}, cast.organiser)
    return cast


def score(cast: Cast, capture: Callable[..., Any]) -> None:
    with capture(execute=True):
        scores_request(actor=cast.organiser, task=Task.objects.get(pk=cast.task.pk))


def test_no_two_numbers_read_alike() -> None:
    values = [value for tag in RANKS for value in numbers(tag).values()]
    assert len({f"{value:.4f}" for value in values}) == len(values)


@pytest.mark.django_db
@pytest.mark.parametrize("feedback", [False, True], ids=["all topics", "with a feedback set"])
def test_each_role_is_told_what_the_policy_says_and_nothing_else(
    played: Cast, feedback: bool, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    """Scored under the policy that stores most. A feedback set adds what can be told, and changes nothing of who is told.

    All roles read under the two policies that show most: whoever has no run is told no more by the others.
    """
    Topic.objects.filter(task=played.task, number__in=FEEDBACK).update(is_feedback=feedback)
    set_policy(played, Task.LIVE)
    score(played, django_capture_on_commit_callbacks)
    readers = {role: Reader(played, role) for role in (*READERS, "organiser")}
    few = ("anonymous", "member")
    for policy in Task.SCORES_SHOWN:
        set_policy(played, policy)
        for role in READERS if feedback and policy in (Task.TOPICS, Task.LIVE) else few:
            assert_told_what_is_allowed(readers[role], policy, role, feedback=feedback, published=False)
    assert_told_all_that_counts(readers["organiser"], feedback=feedback, published=False)
    leaderboard_publish(actor=played.organiser, task=Task.objects.get(pk=played.task.pk))
    for policy in (Task.LIVE, Task.NOTHING) if feedback else (Task.LIVE,):
        set_policy(played, policy)
        for role in READERS if feedback and policy == Task.LIVE else few:
            assert_told_what_is_allowed(readers[role], policy, role, feedback=feedback, published=True)
    assert_told_all_that_counts(readers["organiser"], feedback=feedback, published=True)


def set_policy(cast: Cast, policy: str) -> None:
    Task.objects.filter(pk=cast.task.pk).update(scores_shown=policy)


def assert_told_what_is_allowed(reader: Reader, policy: str, role: str, *, feedback: bool, published: bool) -> None:
    by_address = reader.told(published=published)
    allowed = expected(policy, role, feedback=feedback, published=published)
    leaks = {url: found - allowed for url, found in by_address.items() if found - allowed}
    assert leaks == {}, f"{policy}, {role}, {'after' if published else 'before'} publication"
    assert set().union(*by_address.values()) == allowed, f"{policy}, {role} misses what the policy shows"


def assert_told_all_that_counts(reader: Reader, *, feedback: bool, published: bool) -> None:
    scope = "mean of the rest" if feedback else "mean of all"
    everything = set().union(*reader.told(published=published).values())
    assert {f"{tag} {scope}" for tag in RANKS} <= everything


@pytest.mark.django_db
def test_a_live_board_has_tests_in_a_development_round_only(
    played: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    Task.objects.filter(pk=played.task.pk).update(scores_shown=Task.LIVE)
    score(played, django_capture_on_commit_callbacks)
    found = {}
    for kind in (Task.TEST, Task.DEVELOPMENT):
        Task.objects.filter(pk=played.task.pk).update(round_kind=kind)
        data = Client().get(played.task.url("live_json")).json()
        found[kind] = [run["cells"]["AP"]["rank_best"] for run in data["runs"]], data["tests"]
        page = Client().get(played.task.url("live_board")).content.decode()
        assert ("Tests on this board would mean nothing" in page) == (kind == Task.TEST)
        assert ("It shows means, their intervals and their ranks, and no tests." in " ".join(page.split())) == (
            kind == Task.TEST
        )
        assert all(None not in (run["cells"]["AP"]["low"], run["cells"]["AP"]["high"]) for run in data["runs"])
    assert found[Task.TEST] == ([None, None], "no significance tests: teams can tune their runs to this board")
    assert found[Task.DEVELOPMENT][0] != [None, None]


@pytest.mark.django_db
def test_a_change_of_the_policy_makes_the_board_that_it_shows_and_takes_it_away_again(
    played: Cast, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    Topic.objects.filter(task=played.task, number__in=FEEDBACK).update(is_feedback=True)
    score(played, django_capture_on_commit_callbacks)
    assert Client().get(played.task.url("live_board")).status_code == 404
    for policy, stored in ((Task.LIVE, {"", "feedback"}), (Task.MEANS, {""})):
        with django_capture_on_commit_callbacks(execute=True):
            task_update(actor=played.organiser, task=played.task, scores_shown=policy)
        assert set(WorkingBoard.objects.values_list("scope", flat=True)) == stored
    assert Client().get(played.task.url("live_board")).status_code == 404


@pytest.mark.django_db
def test_a_page_of_a_run_says_why_it_shows_nothing(played: Cast) -> None:
    client = Client()
    client.force_login(played.member)
    said = {}
    for policy in (Task.NOTHING, Task.MEANS):
        Task.objects.filter(pk=played.task.pk).update(scores_shown=policy)
        said[policy] = client.get(played.task.url("run_scores", tag="own")).content.decode()
    assert "when the organisers publish a leaderboard with this run" in said[Task.NOTHING]
    assert "There are no scores yet" in said[Task.MEANS]
    Run.objects.update(after_qrels=True)
    assert "after the qrels" in client.get(played.task.url("run_scores", tag="own")).content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("audience", AUDIENCES)
def test_once_a_board_is_published_nobody_is_told_that_scores_wait_for_one(
    played: Cast, audience: str, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    score(played, django_capture_on_commit_callbacks)
    pages = [played.task.url(name) for name in ("task_detail", "score_board", "leaderboard_publish", "feedback_topics")]
    pages.append(f"/api/v1/campaigns/{played.campaign.slug}/tasks/{played.task.slug}")
    assert "before a leaderboard is published" in Client().get(pages[0]).content.decode()
    leaderboard_publish(actor=played.organiser, task=Task.objects.get(pk=played.task.pk), audience=audience)
    readers = {role: Reader(played, role) for role in (*READERS, "organiser")}
    for policy in Task.SCORES_SHOWN:
        set_policy(played, policy)
        for role, reader in readers.items():
            texts = [Client().get(pages[-1], headers=reader.headers), *map(reader.client.get, pages[:-1])]
            for answer in texts:
                assert "before a leaderboard is published" not in answer.content.decode(), (policy, role, answer)
            assert "A leaderboard is published for" in texts[1].content.decode()


@pytest.mark.django_db
@pytest.mark.parametrize("policy", [Task.MEANS, Task.TOPICS, Task.LIVE])
def test_after_a_publication_runs_on_no_board_are_said_to_be_scored_on_the_topics_for_feedback_alone(
    played: Cast, policy: str, django_capture_on_commit_callbacks: Callable[..., Any]
) -> None:
    Topic.objects.filter(task=played.task, number__in=FEEDBACK).update(is_feedback=True)
    score(played, django_capture_on_commit_callbacks)
    leaderboard_publish(actor=played.organiser, task=Task.objects.get(pk=played.task.pk))
    set_policy(played, policy)
    said = " ".join(shown_in_words(Task.objects.get(pk=played.task.pk)))
    assert "Of its runs that no leaderboard shows, each team sees" in said
    assert f"The scores of runs that no leaderboard shows are over {len(FEEDBACK)} topics for feedback only" in said
