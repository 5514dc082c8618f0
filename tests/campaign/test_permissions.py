"""Access to one campaign, task or run is decided by what is read of it; lists of them are decided by the database."""

import pytest
from django.db import connection
from django.http import Http404
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.models import Campaign, Role, Run, Task, Team, User
from campaign.permissions import (
    get_campaign_or_404,
    get_run_or_404,
    get_task_or_404,
    is_organiser,
    is_participant,
)
from campaign.web.asking_once import asked_once
from tests.factories import Cast, make_received_run, make_user

pytestmark = pytest.mark.django_db


def people(cast: Cast) -> list[User]:
    superuser = make_user("root")
    User.objects.filter(pk=superuser.pk).update(is_superuser=True)
    superuser.refresh_from_db()
    return [cast.organiser, cast.assessor, cast.member, cast.other_member, cast.stranger, superuser]


@pytest.mark.parametrize("phase", [Task.SETUP, Task.RUNS])
@pytest.mark.parametrize("is_open", [False, True])
def test_who_may_open_a_page_is_who_sees_the_campaign_the_task_and_the_run_in_lists(
    cast: Cast, phase: str, *, is_open: bool
) -> None:
    Campaign.objects.filter(pk=cast.campaign.pk).update(opened_at=timezone.now() if is_open else None)
    Task.objects.filter(pk=cast.task.pk).update(phase=phase)
    run = make_received_run(cast.task, cast.team, "tag", b"")
    for user in people(cast):
        assert opens(get_campaign_or_404, user, cast.campaign.slug) == sees(Campaign, user, cast.campaign.pk)
        assert opens(get_task_or_404, user, cast.campaign.slug, cast.task.slug) == sees(Task, user, cast.task.pk)
        assert opens(get_run_or_404, user, cast.task, run.tag) == sees(Run, user, run.pk)
        assert is_participant(user, cast.campaign) == Team.objects.taking_part(user, cast.campaign).exists()
        assert is_organiser(user, cast.campaign) == sees_as_organiser(user, cast.campaign)


def test_nobody_organises_a_deleted_campaign(cast: Cast) -> None:
    Campaign.objects.filter(pk=cast.campaign.pk).update(deleted_at=timezone.now())
    assert not any(is_organiser(user, cast.campaign) for user in people(cast))


def test_a_page_asks_once_for_the_parts_of_its_reader_and_the_next_page_asks_anew(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.organiser)
    with CaptureQueriesContext(connection) as queries:
        client.get(cast.task.get_absolute_url())
        asked = [query["sql"] for query in queries]
    assert sum(sql.startswith('SELECT "campaign_role"') for sql in asked) == 1
    assert sum(sql.startswith("SELECT 1") and '"campaign_registration"."state"' in sql for sql in asked) == 1
    runs = cast.task.url("run_list")
    assert client.get(runs).status_code == 200
    Role.objects.filter(user=cast.organiser).delete()
    assert client.get(runs).status_code == 404


def test_without_a_page_each_question_sees_a_change_of_roles_at_once(cast: Cast) -> None:
    assert not is_organiser(cast.stranger, cast.campaign)
    Role.objects.create(campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)
    assert is_organiser(cast.stranger, cast.campaign)
    with asked_once():
        assert is_organiser(cast.stranger, cast.campaign)
    Role.objects.filter(user=cast.stranger).delete()
    assert not is_organiser(cast.stranger, cast.campaign)


def opens(get: object, user: User, *address: object) -> bool:
    try:
        get(user, *address)  # type: ignore[operator]
    except Http404:
        return False
    return True


def sees(model: type[Campaign] | type[Task] | type[Run], user: User, pk: int) -> bool:
    return bool(model.objects.visible_to(user).filter(pk=pk).exists())


def sees_as_organiser(user: User, campaign: Campaign) -> bool:
    return Campaign.objects.organised_by(user).filter(pk=campaign.pk).exists()
