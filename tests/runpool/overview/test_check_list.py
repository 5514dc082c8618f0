"""What a task needs before it is open: on its page, at home and as its next step, from one list."""

import re
from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Role, RoleInvitation, Task, User
from runpool.overview.selectors.check_list import MISSING, check_list, missing, with_readiness
from tests.factories import Cast, make_collection, make_topics, make_user

pytestmark = pytest.mark.django_db


@pytest.fixture
def draft(cast: Cast) -> Cast:
    Campaign.objects.update(opened_at=None)
    Task.objects.update(phase=Task.SETUP, closes_at=None, guidelines="")
    Role.objects.filter(role=Role.ASSESSOR).delete()
    cast.task.refresh_from_db()
    return cast


def states(cast: Cast) -> dict[str, str]:
    task = with_readiness(Task.objects.filter(pk=cast.task.pk)).get()
    return {check.label: check.state for check in check_list(task)}


def page(user: User, url: str) -> str:
    client = Client()
    client.force_login(user)
    return " ".join(re.sub(r"<[^>]*>", " ", client.get(url).content.decode()).split())


def test_an_empty_draft_lacks_topics_documents_and_its_opening_and_the_rest_is_optional(draft: Cast) -> None:
    assert states(draft) == {
        "topics": "missing",
        "documents": "missing",
        "guidelines": "optional",
        "deadline for runs": "optional",
        "assessors": "optional",
        "opening of the campaign": "missing",
        "opening of the task": "missing",
    }


def test_what_is_there_is_done(draft: Cast) -> None:
    make_topics(draft.task, ["1", "2"])
    make_collection(draft.task, ["a", "b", "c"])
    Task.objects.update(guidelines="Read all.", closes_at=timezone.now() + timedelta(days=1))
    Role.objects.create(campaign=draft.campaign, user=make_user(), role=Role.ASSESSOR)
    assert [label for label, state in states(draft).items() if state != "done"] == [
        "opening of the campaign",
        "opening of the task",
    ]
    shown = page(draft.organiser, draft.task.get_absolute_url())
    for said in ("Topics done 2 topics", "Documents done 3 documents", "Assessors done 1 assessor", "2 missing"):
        assert said in shown


def test_somebody_who_is_invited_is_no_assessor_yet(draft: Cast) -> None:
    RoleInvitation.objects.create(
        campaign=draft.campaign, user=make_user(), role=Role.ASSESSOR, invited_by=draft.organiser
    )
    assert states(draft)["assessors"] == "optional"
    assert "invited, nobody has accepted yet" in page(draft.organiser, draft.task.get_absolute_url())


def test_the_next_step_is_what_the_list_says_is_missing_first(draft: Cast) -> None:
    def step() -> str:
        found = missing(check_list(with_readiness(Task.objects.filter(pk=draft.task.pk)).get()))
        assert found is not None
        assert f"Next: {found.label}" in page(draft.organiser, draft.task.get_absolute_url())
        assert found.label in page(draft.organiser, reverse("home"))
        return found.label

    assert step() == "Import topics and documents"
    make_topics(draft.task, ["1"])
    assert step() == "Import documents"
    make_collection(draft.task, ["a"])
    assert step() == "Open the campaign"
    Campaign.objects.update(opened_at=timezone.now())
    assert step() == "Open the task"


def test_at_home_the_list_stands_in_one_line(draft: Cast) -> None:
    said = (
        "being set up: 0 of 7 done; missing: topics, documents, opening of the campaign, opening of the task; "
        "optional: guidelines, deadline for runs, assessors"
    )
    assert said in page(draft.organiser, reverse("home"))


def test_documents_are_optional_where_runs_may_hold_any_number(draft: Cast) -> None:
    Task.objects.update(docno_policy=Task.ANY)
    assert states(draft)["documents"] == "optional"


def test_a_residual_round_lacks_what_earlier_rounds_judged(draft: Cast) -> None:
    Task.objects.update(round_kind=Task.RESIDUAL)
    assert states(draft)["what earlier rounds judged"] == MISSING


def test_the_list_is_gone_once_the_task_is_open_and_is_for_organisers_alone(draft: Cast) -> None:
    url = draft.task.get_absolute_url()
    assert "Before it is open" in page(draft.organiser, url)
    Role.objects.create(campaign=draft.campaign, user=draft.assessor, role=Role.ASSESSOR)
    assert "Before it is open" not in page(draft.assessor, url)
    Campaign.objects.update(opened_at=timezone.now())
    Task.objects.update(phase=Task.RUNS)
    assert "Before it is open" not in page(draft.organiser, url)


def test_the_list_of_a_task_is_one_query_more(draft: Cast) -> None:
    with CaptureQueriesContext(connection) as asked:
        check_list(with_readiness(Task.objects.filter(pk=draft.task.pk)).get())
    assert len(asked) == 1


def test_assessors_come_to_their_topics_first_and_are_offered_no_campaign_and_no_team_before(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.assessor)
    home = client.get(reverse("home")).content.decode()
    head, _, main = home.partition('<h2 id="campaigns">')
    assert "Topics that you judge" in head
    assert "Create a campaign" not in head
    assert "Create a campaign" in main
    page = client.get(cast.campaign.get_absolute_url()).content.decode()
    before, _, after = page.partition('id="tasks"')
    assert "Register a team" not in before
    assert "Register a team" in after.partition("</table>")[2]
    for user, is_offered in ((cast.assessor, False), (cast.stranger, True)):
        client.force_login(user)
        assert ("Register a team" in client.get(cast.task.get_absolute_url()).content.decode()) == is_offered
