"""Pages lead on: what is offered as the next step exists for the reader, and is not where they are already."""

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Task, User
from campaign.permissions import Reader
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from runpool.overview.todo import next_steps
from tests.evaluation.makers import make_qrels, make_valid_run
from tests.factories import Cast, make_topics
from tests.judging.makers import make_assignment


def page(user: object, address: str) -> str:
    client = Client()
    if user is not None:
        client.force_login(user)
    return client.get(address, follow=True).content.decode()


def steps(cast: Cast, user: User) -> list[str]:
    found = next_steps(Reader.of(user, cast.campaign), [Task.objects.get(pk=cast.task.pk)])
    return [step.label for step in found[cast.task.pk]]


@pytest.mark.parametrize(
    ("role", "linked"), [("organiser", True), ("member", True), ("assessor", False), ("stranger", False)]
)
def test_the_runs_are_linked_for_those_only_who_may_see_them(cast: Cast, role: str, linked: bool) -> None:
    link = f'href="{cast.task.url("run_list")}"'
    assert (link in page(getattr(cast, role), cast.task.get_absolute_url())) == linked


def test_the_phase_bar_does_not_lead_to_the_page_it_stands_on(cast: Cast) -> None:
    assert "Next: Upload a run" in page(cast.member, cast.task.url("run_list"))
    assert "Next: Upload a run" not in page(cast.member, cast.task.url("run_create"))


def test_pages_of_uploads_corrections_and_judging_show_their_own_step_and_no_other(cast: Cast) -> None:
    run = make_valid_run(cast.task, cast.team, "one", {"1": ["a"]})
    assignment = make_assignment(cast, ["a", "b"])
    topic = assignment.topic.number
    pages = {
        cast.organiser: [
            cast.task.url("task_edit"),
            cast.task.url("guidelines_edit"),
            cast.task.url("topic_edit", topic_number=topic),
            cast.task.url("topic_scoring", topic_number=topic),
        ],
        cast.member: [cast.task.url("run_create"), cast.task.url("run_edit", tag=run.tag)],
        cast.assessor: [cast.task.url("my_topics"), cast.task.url("own_judgments", topic_number=topic)],
    }
    for user, addresses in pages.items():
        assert 'class="next-step"' in page(user, cast.task.url("topic_list")), user
        for address in addresses:
            shown = page(user, address)
            assert 'class="phase-bar"' in shown, address
            assert 'class="next-step"' not in shown, address


def test_without_a_deadline_the_first_valid_run_makes_pooling_the_next_step(cast: Cast) -> None:
    cast.task.closes_at = None
    cast.task.save()
    assert steps(cast, cast.organiser) == ["See the runs"]
    make_valid_run(cast.task, cast.team, "one", {"1": ["a"]})
    assert steps(cast, cast.organiser) == ["Build the pool"]


def test_the_home_page_links_a_published_leaderboard_for_everybody(cast: Cast) -> None:
    make_topics(cast.task, ["1"])
    make_valid_run(cast.task, cast.team, "one", {"1": ["a", "b"]})
    make_qrels(cast.task, {"1": {"a": 1, "b": 0}}, cast.organiser)
    task_score(task=cast.task, report=lambda done, total: None)
    link = f'href="{cast.task.url("leaderboard_latest")}"'
    assert link not in page(cast.stranger, reverse("home"))
    leaderboard_publish(actor=cast.organiser, task=cast.task)
    for user in (None, cast.stranger, cast.member, cast.assessor, cast.organiser):
        assert link in page(user, reverse("home"))


@pytest.mark.parametrize("name", ["pool_list", "judging_progress", "score_board"])
def test_the_cards_of_a_task_lead_to_whole_pages_without_scripts(cast: Cast, name: str) -> None:
    Task.objects.update(phase=Task.JUDGING)
    assert f'href="{cast.task.url(name)}"' in page(cast.organiser, cast.task.get_absolute_url())


def test_topics_to_judge_are_a_whole_page_without_scripts_and_a_fragment_with_them(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.assessor)
    assert "<h1>" in client.get(reverse("next_judging")).content.decode()
    assert "<h1>" not in client.get(reverse("next_judging"), headers={"HX-Request": "true"}).content.decode()
