import re
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Job, Run, Task, job_key
from campaign.queue.jobs import enqueue
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool
from pooling.selectors.pools import FREEZE_POOL
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_team, make_topics
from tests.pooling.makers import depth_k, make_valid_run

pytestmark = pytest.mark.django_db
Commit = Callable[..., Any]


@pytest.fixture
def with_runs(cast: Cast) -> Cast:
    make_topics(cast.task, ["1", "2", "3"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b", "c"], "2": ["x", "y"], "3": ["p"]})
    make_valid_run(cast.task, cast.other_team, "beta", {"1": ["b", "d"], "2": ["x"]}, priority=2)
    return cast


@pytest.fixture
def organiser(cast: Cast, client: Client) -> Client:
    client.force_login(cast.organiser)
    return client


def page(cast: Cast, name: str, **kwargs: Any) -> str:
    return reverse(name, kwargs={**cast.task.address, **kwargs})


def freeze(cast: Cast, **settings: Any) -> Pool:
    return pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(**settings))


def confirmed(question: Any) -> dict[str, str]:
    """What the question sends when its button is pressed."""
    return {"fingerprint": question.context["preview"].fingerprint, "latest": str(question.context["latest"])}


def words(response: Any) -> str:
    """What a reader sees: tags taken out, white space folded."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


PRIVATE = [
    ("pool_list", {}),
    ("pool_create", {}),
    ("pool_preview", {}),
    ("pool_detail", {"version": 1}),
    ("pool_download", {"version": 1}),
]


VISIBLE = {
    "organiser": 200,
    "assessor": 403,
    "member": 403,
    "other_member": 403,
    "stranger": 403,
    "anonymous": 302,
}
IN_SET_UP = {"assessor": 403, "member": 404, "stranger": 404}


@pytest.mark.parametrize(("name", "kwargs"), PRIVATE)
def test_pools_are_the_organisers_own(with_runs: Cast, client: Client, name: str, kwargs: dict[str, int]) -> None:
    freeze(with_runs)

    def status(who: str) -> int:
        if who == "anonymous":
            client.logout()
        else:
            client.force_login(getattr(with_runs, who))
        return client.get(page(with_runs, name, **kwargs)).status_code

    assert {who: status(who) for who in VISIBLE} == VISIBLE
    Task.objects.filter(pk=with_runs.task.pk).update(phase=Task.SETUP)
    assert {who: status(who) for who in IN_SET_UP} == IN_SET_UP


@pytest.mark.parametrize("who", ["assessor", "member", "stranger"])
def test_nobody_else_can_freeze(with_runs: Cast, client: Client, who: str) -> None:
    client.force_login(getattr(with_runs, who))
    assert client.post(page(with_runs, "pool_create")).status_code == 403
    assert not Job.objects.exists()


def test_a_pool_that_does_not_exist_is_not_found(with_runs: Cast, organiser: Client) -> None:
    for name in ("pool_detail", "pool_download"):
        assert organiser.get(page(with_runs, name, version=9)).status_code == 404


def test_without_runs_the_list_says_what_comes_first(cast: Cast, organiser: Client) -> None:
    assert "No valid run yet" in words(organiser.get(page(cast, "pool_list")))
    assert "No valid run to pool" in words(organiser.get(page(cast, "pool_create")))


def test_with_runs_and_no_pool_the_list_leads_to_the_builder(with_runs: Cast, organiser: Client) -> None:
    response = organiser.get(page(with_runs, "pool_list"))
    assert page(with_runs, "pool_create") in response.content.decode()
    assert "No pool yet" in words(response)


def test_the_builder_shows_cost_coverage_and_contributors(with_runs: Cast, organiser: Client) -> None:
    text = words(organiser.get(page(with_runs, "pool_create"), {"depth": 2, "seconds": 600}))
    assert "6 documents to judge" in text  # a b d, x y, p
    assert "1.0 h at 600 s per document" in text
    assert "The first 2 documents of every pooled run." in text
    assert "2 runs of 2 teams" in text


def test_the_builder_shows_twenty_teams_and_topics_and_the_overlap_of_more_on_demand(
    cast: Cast, organiser: Client
) -> None:
    make_topics(cast.task, [str(number) for number in range(1, 22)])
    for number in range(1, 22):
        make_valid_run(cast.task, make_team(campaign=cast.campaign), f"run{number}", {str(number): ["a", "b"]})

    def parts(query: dict[str, str]) -> dict[str, str]:
        shown = organiser.get(page(cast, "pool_create"), query).content.decode()
        return {
            name: shown.partition(f'id="{name}"')[2].partition("</table>")[0] for name in ("by-team", "by-topic")
        } | {"overlap": shown.partition('id="overlap"')[2].partition("</details>")[0]}

    few = parts({"depth": "2"})
    assert [few[name].count('<th scope="row">') for name in few] == [20, 20, 0]
    assert "21 teams, 20 shown" in few["by-team"]
    assert "Show the overlap of 21 teams" in few["overlap"]
    assert "depth=2&amp;overlap=all#overlap" in few["overlap"]
    every = parts({"depth": "2", "teams": "all", "topics": "all", "overlap": "all"})
    assert [every[name].count('<th scope="row">') for name in every] == [21, 21, 21]
    assert 'class="num heat"' in every["overlap"]


def test_the_preview_alone_answers_with_the_fragment_and_the_address_to_keep(
    with_runs: Cast, organiser: Client
) -> None:
    asked = {"query_params": {"depth": 1, "max_priority": 1}, "headers": {"hx-request": "true"}}
    response = organiser.get(page(with_runs, "pool_preview"), **asked)
    announced = response.content.decode().partition('hx-swap-oob="innerHTML:#announcement">')[2]
    assert announced.startswith("3 documents to judge, ")
    assert "<html" not in response.content.decode()
    assert "3 documents to judge" in words(response)
    assert "1 run not pooled" in words(response)
    assert response["HX-Replace-Url"] == page(with_runs, "pool_create") + "?depth=1&max_priority=1"


@pytest.mark.parametrize(
    "query",
    [
        {"depth": "0"},
        {"depth": "ten"},
        {"depth": ""},
        {"depth": "1001"},
        {"seed": "-1"},
        {"seed": str(2**63)},
        {"order": "alphabetical"},
        {"strategy": "x"},
        {"max_priority": "9"},
        {"runs_per_team": "0"},
        {"seconds": "nan"},
        {"seconds": "0"},
    ],
)
def test_wrong_settings_are_answered_in_words(with_runs: Cast, organiser: Client, query: dict[str, str]) -> None:
    for name in ("pool_preview", "pool_create"):
        response = organiser.get(page(with_runs, name), query)
        assert response.status_code == 422
        assert "one setting needs a change" in words(response)
    assert organiser.post(page(with_runs, "pool_create"), query_params=query).status_code == 422
    assert not Job.objects.exists()


def test_freezing_asks_first_and_says_how_much(with_runs: Cast, organiser: Client) -> None:
    response = organiser.get(page(with_runs, "pool_create"), {"depth": 2, "ask": 1})
    text = words(response)
    assert "Freeze 6 documents" in text
    assert "6 topic-document pairs of 2 runs and 3 topics." in text
    assert "3 min of judging at 30 s per document." in text
    assert "can never be changed or deleted" in text
    assert not Pool.objects.exists()


def test_the_question_names_what_may_have_been_overlooked(with_runs: Cast, organiser: Client) -> None:
    with_runs.task.topics.create(number="4", position=4, title="lonely")
    make_valid_run(with_runs.task, with_runs.team, "gamma", {"1": ["a"]}, state=Run.RECEIVED)
    text = words(organiser.get(page(with_runs, "pool_create"), {"ask": 1}))
    assert "1 run still being checked" in text
    assert "Uploads close now, although the deadline is" in text
    assert "1 topic without a document: 4" in text
    Task.objects.filter(pk=with_runs.task.pk).update(closes_at=None)  # then freezing ends the submissions
    text = words(organiser.get(page(with_runs, "pool_create"), {"ask": 1}))
    assert "The task still accepts runs until the pool is frozen" in text
    assert "Uploads close now. Only teams" in text


def test_freezing_by_the_pages_makes_the_pool_that_was_shown(
    with_runs: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    address = page(with_runs, "pool_create") + "?depth=2&order=docno&seed=5&max_priority=1"
    sent = confirmed(organiser.get(address + "&ask=1"))
    with django_capture_on_commit_callbacks(execute=True):
        response = organiser.post(address, sent)
    assert (response.status_code, response["Location"]) == (302, page(with_runs, "pool_list"))
    pool = Pool.objects.get()
    expected = depth_k(depth=2, order="docno", seed=5, max_priority=1)
    assert PoolSpec.from_json(pool.spec) == expected.ordered_by(with_runs.task.ordering)
    assert pool.frozen_by == with_runs.organiser
    assert "Pool 1" in words(organiser.get(page(with_runs, "pool_list")))


def test_when_the_runs_have_changed_since_the_question_nothing_is_frozen(
    with_runs: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    address = page(with_runs, "pool_create") + "?depth=2"
    sent = confirmed(organiser.get(address + "&ask=1"))
    make_valid_run(with_runs.task, with_runs.team, "late", {"1": ["z"]})
    with django_capture_on_commit_callbacks(execute=True):
        response = organiser.post(address, sent, follow=True)
    assert "The runs or topics have changed since you looked" in words(response)
    assert not Pool.objects.exists()


def test_a_question_that_was_asked_before_another_pool_came_is_asked_again(with_runs: Cast, organiser: Client) -> None:
    address = page(with_runs, "pool_create") + "?depth=2"
    sent = confirmed(organiser.get(address + "&ask=1"))
    freeze(with_runs, depth=3)
    response = organiser.post(address, sent, follow=True)
    assert "Pool 1 came since you looked" in words(response)
    assert not Job.objects.filter(name=FREEZE_POOL).exists()


def test_while_the_worker_freezes_the_list_asks_again_until_it_is_done(with_runs: Cast, organiser: Client) -> None:
    address = page(with_runs, "pool_list")
    arguments = {"task_id": with_runs.task.pk, "actor_id": with_runs.organiser.pk, "spec": depth_k().to_json()}
    enqueue(FREEZE_POOL, **arguments, confirmed=None)
    waiting = organiser.get(address, headers={"HX-Request": "true"}).content.decode()
    assert f'hx-get="{address}"' in waiting
    assert "Freezing the pool" in waiting
    assert "<html" not in waiting
    Job.objects.update(state=Job.WORKING, done=37, total=100, message="runs read")
    assert "37 of 100 runs read" in words(organiser.get(address))
    Job.objects.update(state=Job.FAILED, message="A run came or went.")
    failed = organiser.get(address).content.decode()
    assert "A run came or went." in failed
    assert f'hx-get="{address}"' not in failed
    freeze(with_runs)
    assert "A run came or went." not in organiser.get(address).content.decode()
    Job.objects.update(state=Job.DONE)
    done = organiser.get(address, headers={"HX-Request": "true"})
    assert done["HX-Refresh"] == "true", "the next step of the page is another one now"


def test_a_job_that_cannot_freeze_says_why(
    cast: Cast, organiser: Client, django_capture_on_commit_callbacks: Commit
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        enqueue(FREEZE_POOL, task_id=cast.task.pk, actor_id=cast.organiser.pk, spec=depth_k().to_json(), confirmed=None)
    assert "A pool needs at least one valid run." in words(organiser.get(page(cast, "pool_list")))


def test_a_job_delivered_twice_freezes_once(with_runs: Cast, django_capture_on_commit_callbacks: Commit) -> None:
    for _ in range(2):
        with django_capture_on_commit_callbacks(execute=True):
            enqueue(
                FREEZE_POOL,
                task_id=with_runs.task.pk,
                actor_id=with_runs.organiser.pk,
                spec=depth_k().to_json(),
                confirmed=None,
            )
    assert Pool.objects.count() == 1


def test_the_largest_settings_fit_the_key_of_a_job() -> None:
    spec = depth_k(depth=1000, max_priority=32767, order="best_position", seed=2**63 - 1)
    assert len(job_key({"task_id": 10**9, "actor_id": 10**9, "spec": spec.to_json()})) <= 200


def test_the_page_of_a_pool_shows_its_facts_and_what_is_new(with_runs: Cast, organiser: Client) -> None:
    freeze(with_runs, depth=2, seed=77)
    make_valid_run(with_runs.task, with_runs.team, "late", {"1": ["z"]})
    second = freeze(with_runs, depth=2, seed=77)
    text = words(organiser.get(second.get_absolute_url()))
    assert "1 pair is in no earlier version" in text
    assert "7 documents over 3 topics" in text
    assert "77" in text
    assert second.sha256 in text
    assert "3 contributing runs" in text


def test_pages_say_how_many_runs_of_a_team_are_pooled(with_runs: Cast, organiser: Client) -> None:
    make_valid_run(with_runs.task, with_runs.team, "second", {"1": ["z"]}, priority=2)
    query = {"depth": 2, "runs_per_team": 1}
    assert "1 run not pooled" in words(organiser.get(page(with_runs, "pool_preview"), query))
    question = words(organiser.get(page(with_runs, "pool_create"), {**query, "ask": 1}))
    assert "of 2 runs (at most 1 run per team) and 3 topics." in question
    pool = freeze(with_runs, depth=2, runs_per_team=1)
    assert "Runs 2, at most 1 run per team" in words(organiser.get(pool.get_absolute_url()))
    assert "depth-k, k = 2, at most 1 run per team" in words(organiser.get(page(with_runs, "pool_list")))


def test_the_download_is_the_file_that_the_checksum_is_of(with_runs: Cast, organiser: Client) -> None:
    freeze(with_runs, depth=2, order="docno")
    response = organiser.get(page(with_runs, "pool_download", version=1))
    assert response.content == b"1 a\n1 b\n1 d\n2 x\n2 y\n3 p\n"
    assert response["Content-Type"] == "text/plain; charset=utf-8"
    assert f'filename="{with_runs.campaign.slug}-{with_runs.task.slug}-pool-1.txt"' in response["Content-Disposition"]


@pytest.mark.parametrize("who", ["organiser", "assessor", "member", "stranger", "anonymous"])
def test_the_card_tells_everybody_the_size_and_only_organisers_where_it_comes_from(
    with_runs: Cast, client: Client, who: str
) -> None:
    freeze(with_runs, depth=2)
    if who != "anonymous":
        client.force_login(getattr(with_runs, who))
    response = client.get(page(with_runs, "pool_card"))
    assert response.status_code == 200
    assert "6 documents to judge" in words(response)
    assert ("2 runs" in words(response)) == (who == "organiser")
    assert ("<a " in response.content.decode()) == (who == "organiser")


def test_before_there_is_a_pool_the_card_shows_organisers_their_next_step(with_runs: Cast, organiser: Client) -> None:
    response = organiser.get(page(with_runs, "pool_card"))
    assert "2 valid runs to pool" in words(response)
    assert page(with_runs, "pool_create") in response.content.decode()
    organiser.force_login(with_runs.member)
    hidden = organiser.get(page(with_runs, "pool_card")).content.decode()
    assert "valid run" not in hidden
    assert "<a " not in hidden


def test_outsiders_do_not_learn_that_a_draft_task_has_a_card(with_runs: Cast, client: Client) -> None:
    Task.objects.filter(pk=with_runs.task.pk).update(phase=Task.SETUP)
    assert client.get(page(with_runs, "pool_card")).status_code == 404


@pytest.mark.parametrize(("order", "tells"), [("random", False), ("docno", False), ("best_position", True)])
def test_the_builder_says_when_the_judging_order_gives_the_runs_away(
    with_runs: Cast, organiser: Client, order: str, tells: bool
) -> None:
    text = words(organiser.get(page(with_runs, "pool_create"), {"order": order}))
    assert ("assessors see first what the runs rank high" in text) is tells


def test_new_pairs_are_those_of_no_earlier_version_as_the_builder_counts_them(cast: Cast, client: Client) -> None:
    make_topics(cast.task, ["1"])
    make_valid_run(cast.task, cast.team, "alpha", {"1": ["a", "b", "c"]})
    for depth in (3, 1):
        pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(depth))
    again = pool_freeze(actor=cast.organiser, task=cast.task, spec=depth_k(2))
    client.force_login(cast.organiser)
    text = words(client.get(again.get_absolute_url()))
    assert "Every pair is in an earlier version" in text
    assert "P@2, RR@2, Success@2, DCG@2 and ERR@2 are exact for these runs" in text
