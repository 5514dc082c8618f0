"""Two organisers edit at once: the second one sees what changed, and nothing of either is lost."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from campaign.models import Campaign, Role, Task
from campaign.setup.services.campaigns import campaign_update
from campaign.setup.services.tasks import task_update
from tests.factories import Cast, make_cast, make_user

pytestmark = pytest.mark.django_db


def entries(client: Client, address: str) -> dict[str, str]:
    """What a browser sends back of the forms of a page that nobody touched."""
    context = client.get(address).context
    parts = [context["form"]]
    if "scale" in context:
        parts += [context["scale"].management_form, *context["scale"], context["rules"]]
        parts += [context["questions"].management_form, *context["questions"]]
    fields = (field for part in parts for field in part)
    shown = {field.html_name: field.field.widget.format_value(field.value()) for field in fields}
    sent = {name: value[0] if isinstance(value, list) and value else value for name, value in shown.items()}
    return {name: value for name, value in sent.items() if isinstance(value, str)} | {"seen": str(context["seen"])}


def other_organiser(cast: Cast) -> Client:
    user = make_user("second")
    Role.objects.create(campaign=cast.campaign, user=user, role=Role.ORGANISER)
    client = Client()
    client.force_login(user)
    return client


def test_settings_that_somebody_else_changed_meanwhile_are_shown_and_kept() -> None:
    cast = make_cast()
    second, address = other_organiser(cast), cast.task.url("task_edit")
    sent = entries(second, address) | {"max_runs_per_team": "9"}
    later = timezone.now() + timedelta(days=20)
    task_update(actor=cast.organiser, task=cast.task, title="Renamed", closes_at=later)
    answer = second.post(address, sent)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "somebody else changed this meanwhile" in page
    assert str(cast.organiser) in page
    assert Task.objects.get().max_runs_per_team == cast.task.max_runs_per_team
    form = answer.context["form"]
    assert form["title"].value() == "Renamed"
    assert form["max_runs_per_team"].value() == "9"
    again = sent | {name: form[name].value() for name in ("title", "closes_at")} | {"seen": str(answer.context["seen"])}
    saved = second.post(address, again)
    assert saved.status_code == 302, saved.context["form"].errors
    stored = Task.objects.get()
    assert (stored.title, stored.max_runs_per_team) == ("Renamed", 9)
    assert stored.closes_at is not None
    assert abs(stored.closes_at - later) < timedelta(minutes=1)


def test_a_campaign_that_somebody_else_changed_meanwhile_is_shown_and_kept() -> None:
    cast = make_cast()
    second, address = other_organiser(cast), f"{cast.campaign.get_absolute_url()}edit/"
    sent = entries(second, address) | {"summary": "mine"}
    campaign_update(actor=cast.organiser, campaign=cast.campaign, title="Theirs")
    answer = second.post(address, sent)
    assert answer.status_code == 409
    assert second.post(address, sent | {"title": "Theirs", "seen": str(answer.context["seen"])}).status_code == 302
    assert Campaign.objects.values_list("title", "summary").get() == ("Theirs", "mine")


def test_ones_own_change_in_another_window_is_no_conflict() -> None:
    cast = make_cast()
    client = Client()
    client.force_login(cast.organiser)
    address = f"{cast.campaign.get_absolute_url()}edit/"
    sent = entries(client, address)
    campaign_update(actor=cast.organiser, campaign=cast.campaign, summary="first")
    assert client.post(address, sent).status_code == 302
