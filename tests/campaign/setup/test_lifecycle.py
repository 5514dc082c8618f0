"""Campaigns are closed, archived, deleted and restored; tasks in their set-up are deleted."""

from datetime import timedelta

import pytest
from django.core.exceptions import PermissionDenied, ValidationError
from django.core.files.base import ContentFile
from django.urls import reverse
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Job, Registration, Role, Run, Task
from campaign.models.campaign import KEPT_AFTER_DELETION
from campaign.runs.services.submission import run_submit
from campaign.setup.selectors.lifecycle import task_deletion_blockers, work_under_way
from campaign.setup.services import deletions
from campaign.setup.services.campaigns import campaign_create, campaign_update
from campaign.setup.services.deletions import (
    campaign_delete,
    campaign_restore,
    remove_for_good,
    task_delete,
    task_restore,
)
from campaign.setup.services.lifecycle import campaign_archive, campaign_close, campaign_reopen, campaign_unarchive
from campaign.setup.services.profiles import campaign_describe
from campaign.setup.services.tasks import task_create
from campaign.storage.inventory import named_files
from campaign.teams.services.registrations import team_register
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_collection, make_team, make_topics, make_user
from tests.world import PIXELS


def state_page(campaign: Campaign) -> str:
    return reverse("campaign_state", kwargs={"campaign_slug": campaign.slug})


def make_draft(cast: Cast) -> tuple[Campaign, Task]:
    draft = campaign_create(actor=cast.organiser, slug="draft", title="Draft")
    task = task_create(actor=cast.organiser, campaign=draft, slug="first", title="First")
    make_topics(task, ["1"])
    make_collection(task, ["a"])
    return draft, task


@pytest.mark.sqlite("campaign.collection.selectors.documents.campaign_collections")
def test_a_closed_campaign_takes_no_teams_and_no_runs_and_is_reopened(cast: Cast) -> None:
    campaign = campaign_close(actor=cast.organiser, campaign=cast.campaign)
    newcomer = make_user()
    team, task = make_team(members=(newcomer,)), Task.objects.get(pk=cast.task.pk)
    with pytest.raises(ValidationError, match="is closed"):
        team_register(actor=newcomer, team=team, campaign=campaign)
    file = ContentFile(b"1 Q0 a 1 1 one\n", name="one.txt")
    with pytest.raises(ValidationError, match="is closed"):
        run_submit(actor=cast.member, task=task, team=cast.team, file=file, file_name="one.txt", tag="one")
    page = signed_in(newcomer).get(reverse("campaign_register", kwargs={"campaign_slug": campaign.slug}))
    assert "takes no registrations" in page.content.decode()
    assert signed_in(newcomer).post(page.request["PATH_INFO"], {"team": team.pk}).status_code == 403
    organisers = signed_in(cast.organiser).post(task.url("task_edit"), {"title": "Mine"})
    assert organisers.status_code == 422, "organisers still change what they like"
    reopened = campaign_reopen(actor=cast.organiser, campaign=campaign)
    assert team_register(actor=newcomer, team=team, campaign=reopened).state == Registration.APPROVED


def test_an_archived_campaign_refuses_services_and_says_who_can_take_it_out(cast: Cast) -> None:
    campaign = campaign_archive(actor=cast.organiser, campaign=cast.campaign)
    assert campaign.closed_at == campaign.archived_at
    with pytest.raises(ValidationError, match="archived"):
        campaign_update(actor=cast.organiser, campaign=campaign, title="Another")
    assert Campaign.objects.get(pk=campaign.pk).title == cast.campaign.title
    edit = reverse("campaign_edit", kwargs={"campaign_slug": campaign.slug})
    refused = signed_in(cast.organiser).post(edit, {"title": "Another"})
    assert refused.status_code == 403
    assert "An organiser can take it out of the archive" in refused.content.decode()
    answer = signed_in(cast.organiser).post(state_page(campaign), {"act": "unarchive"}, follow=True)
    assert "It is still closed" in answer.content.decode()
    campaign_update(actor=cast.organiser, campaign=campaign, title="Another")


def test_a_campaign_is_not_archived_while_jobs_work_for_it(cast: Cast) -> None:
    job = Job.objects.create(name="score task", key="{}", arguments={}, task=cast.task, state=Job.WORKING)
    with pytest.raises(ValidationError, match=r"1 job of this campaign still runs\. Try again later\."):
        campaign_archive(actor=cast.organiser, campaign=cast.campaign)
    Job.objects.filter(pk=job.pk).update(state=Job.DONE)
    assert work_under_way(cast.campaign) == ""


def test_acts_do_nothing_twice_and_strangers_do_none(cast: Cast) -> None:
    for act in (campaign_close, campaign_archive, campaign_unarchive, campaign_reopen):
        before = AuditEvent.objects.count()
        for _ in range(2):
            act(actor=cast.organiser, campaign=cast.campaign)
        assert AuditEvent.objects.count() == before + 1
        with pytest.raises(PermissionDenied, match="Only an organiser"):
            act(actor=cast.member, campaign=cast.campaign)


def test_what_holds_the_work_of_others_is_never_deleted(cast: Cast) -> None:
    page = signed_in(cast.organiser).get(state_page(cast.campaign)).content.decode()
    assert "It holds 2 registered teams" in page
    with pytest.raises(ValidationError, match="2 registered teams"):
        campaign_delete(actor=cast.organiser, campaign=cast.campaign)
    refused = signed_in(cast.organiser).post(
        state_page(cast.campaign), {"act": "delete", "address": cast.campaign.slug}
    )
    assert refused.status_code == 422
    assert Campaign.objects.filter(pk=cast.campaign.pk).exists()


def test_a_draft_is_deleted_by_its_address_and_restored_by_its_organisers_alone(cast: Cast) -> None:
    draft, task = make_draft(cast)
    client = signed_in(cast.organiser)
    assert client.post(state_page(draft), {"act": "delete", "address": "another"}).status_code == 422
    shown = client.post(state_page(draft), {"act": "delete", "address": "draft"}, follow=True)
    assert "Draft" in shown.content.decode()
    for person in (cast.organiser, make_user(is_superuser=True)):
        assert signed_in(person).get(draft.get_absolute_url()).status_code == 404
        assert signed_in(person).get(task.get_absolute_url()).status_code == 404
    with pytest.raises(ValidationError, match="not free"):
        campaign_create(actor=cast.stranger, slug="draft", title="Mine")
    restored = {"kind": "campaign", "pk": draft.pk}
    signed_in(cast.stranger).post(reverse("deleted_list"), restored)
    assert not Campaign.objects.filter(pk=draft.pk).exists()
    client.post(reverse("deleted_list"), restored)
    assert client.get(task.get_absolute_url()).status_code == 200


def test_after_thirty_days_a_deleted_campaign_is_gone_but_for_its_log(cast: Cast) -> None:
    draft, task = make_draft(cast)
    campaign_describe(actor=cast.organiser, campaign=draft, logo=ContentFile(PIXELS), logo_text="A wheel")
    campaign_delete(actor=cast.organiser, campaign=draft)
    remove_for_good()
    assert Task.everything.filter(pk=task.pk).exists()
    Campaign.everything.filter(pk=draft.pk).update(deleted_at=timezone.now() - KEPT_AFTER_DELETION - timedelta(hours=1))
    with pytest.raises(ValidationError, match="removed for good"):
        campaign_restore(actor=cast.organiser, pk=draft.pk)
    assert "1 campaign" in remove_for_good()
    assert "0 campaigns" in remove_for_good()
    assert not Task.everything.filter(pk=task.pk).exists()
    assert not Role.objects.filter(campaign=draft).exists()
    assert not any(name.startswith("logos/") for name in named_files())
    assert AuditEvent.objects.filter(campaign=draft, verb="delete").exists()
    assert campaign_create(actor=cast.stranger, slug="draft", title="Mine").pk != draft.pk


def test_a_task_is_deleted_in_its_set_up_and_not_after_a_run_came(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="past its set-up"):
        task_delete(actor=cast.organiser, task=cast.task)
    draft = task_create(actor=cast.organiser, campaign=cast.campaign, slug="draft", title="Draft")
    page = draft.url("task_delete")
    signed_in(cast.organiser).post(page, {"act": "delete", "address": "draft"})
    assert not cast.campaign.tasks.filter(pk=draft.pk).exists()
    with pytest.raises(ValidationError, match="deleted task"):
        task_create(actor=cast.organiser, campaign=cast.campaign, slug="draft", title="Draft")
    task_restore(actor=cast.organiser, pk=draft.pk)
    assert cast.campaign.tasks.filter(pk=draft.pk).exists()
    Run.objects.create(task=draft, team=cast.team, tag="one", submitted_by=cast.member, size=1, sha256="0", file="x")
    with pytest.raises(ValidationError, match="1 run"):
        task_delete(actor=cast.organiser, task=draft)


def test_a_task_that_is_restored_while_old_ones_are_removed_stays(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    draft = task_create(actor=cast.organiser, campaign=cast.campaign, slug="draft", title="Draft")
    Task.everything.filter(pk=draft.pk).update(deleted_at=timezone.now() - KEPT_AFTER_DELETION - timedelta(hours=1))

    def restored_meanwhile(task: Task) -> list[str]:
        Task.everything.filter(pk=task.pk).update(deleted_at=None)
        return task_deletion_blockers(task)

    monkeypatch.setattr(deletions, "task_deletion_blockers", restored_meanwhile)
    assert "and 0 tasks" in remove_for_good()
    assert cast.campaign.tasks.filter(pk=draft.pk).exists()
