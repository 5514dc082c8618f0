"""The audit log of a campaign: in words, filtered, in pages, as CSV."""

import csv
import io

import pytest
from django.urls import reverse

from campaign.log.audit import audit
from campaign.models import AuditEvent
from campaign.setup.selectors import log
from campaign.setup.services.campaigns import campaign_update
from campaign.setup.services.tasks import task_create, task_enter_phase
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_campaign, make_received_run


def log_page(cast: Cast, name: str = "campaign_log") -> str:
    return reverse(name, kwargs={"campaign_slug": cast.campaign.slug})


def deeds(cast: Cast, **filters: str) -> list[str]:
    return [row["did"] for row in signed_in(cast.organiser).get(log_page(cast), filters).context["rows"]]


def test_entries_are_sentences_with_what_was_before_and_after(cast: Cast) -> None:
    campaign_update(actor=cast.organiser, campaign=cast.campaign, title="Velo 2027")
    task_enter_phase(actor=cast.organiser, task=cast.task, phase="pool")
    page = signed_in(cast.organiser).get(log_page(cast)).content.decode()
    assert f"title: {cast.campaign.title} → Velo 2027" in page
    assert "changed the phase of the task" in page


@pytest.mark.sqlite("campaign.setup.selectors.log._about")
def test_the_log_is_filtered_by_who_what_object_task_and_time(cast: Cast) -> None:
    other = task_create(actor=cast.organiser, campaign=cast.campaign, slug="other", title="Other")
    run = make_received_run(cast.task, cast.team, "one", b"")
    audit(cast.member, "submit", run, campaign=cast.campaign, tag="one")
    audit(None, "submit", run, campaign=make_campaign(), tag="elsewhere")
    assert deeds(cast) == ["submitted the run one", "created the task Other"]
    assert deeds(cast, who=cast.member.username) == ["submitted the run one"]
    assert deeds(cast, who=log.SYSTEM) == []
    assert deeds(cast, verb="create") == deeds(cast, kind="task") == ["created the task Other"]
    assert deeds(cast, task=cast.task.slug) == ["submitted the run one"]
    assert deeds(cast, task=other.slug) == ["created the task Other"]
    assert deeds(cast, until="2020-01-01T00:00") == []
    assert len(deeds(cast, since="2020-01-01T00:00", before="no number", who="nobody")) == 2


def test_pages_go_on_by_key_and_miss_nothing(cast: Cast, monkeypatch) -> None:
    monkeypatch.setattr(log, "ON_A_PAGE", 2)
    for number in range(5):
        audit(cast.organiser, "update", cast.campaign, campaign=cast.campaign, title=f"t{number}")
    client, seen, before = signed_in(cast.organiser), [], ""
    while True:
        page = client.get(log_page(cast), {"before": before} if before else {})
        seen += [row["event"].pk for row in page.context["rows"]]
        before = page.context["older"]
        if before is None:
            break
    events = AuditEvent.objects.filter(campaign=cast.campaign)
    assert seen == sorted(events.values_list("pk", flat=True), reverse=True)


def test_the_csv_is_safe_for_spreadsheets(cast: Cast) -> None:
    audit(cast.organiser, "=cmd()", cast.campaign, campaign=cast.campaign, reason="=1+1")
    answer = signed_in(cast.organiser).get(log_page(cast, "campaign_log_csv"))
    [row] = csv.DictReader(io.StringIO(answer.getvalue().decode()))
    assert row["verb"] == "'=cmd()"
    assert row["user"] == cast.organiser.username
