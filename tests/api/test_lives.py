"""The end of a campaign by program: each act says what it means, and what is deleted can be restored."""

from campaign.models import Campaign, Task
from campaign.setup.services.campaigns import campaign_create
from tests.api.makers import World
from tests.api.test_organising import refused, send
from tests.factories import make_task


def test_a_campaign_is_closed_archived_and_taken_back_when_what_follows_is_confirmed(world: World) -> None:
    state = f"campaigns/{world.cast.campaign.slug}/state"
    ways = {way["act"]: way for way in world.ask("organiser", state).json()["ways"]}
    assert list(ways) == ["close", "archive", "delete"]
    asked = world.ask("organiser", state, method="POST", data={"act": "close"})
    assert [error["message"] for error in asked.json()["errors"]] == ways["close"]["consequences"]
    assert Campaign.objects.get(pk=world.cast.campaign.pk).closed_at is None
    for act in ("close", "archive"):
        done = world.ask("organiser", state, method="POST", data={"act": act, "confirm": True})
        assert done.status_code == 200, done.content
    assert "archived" in send(world, "PATCH", "settings", {"title": "Other"}).content.decode()
    assert "unarchive" in refused(world.ask("organiser", state, method="POST", data={"act": "reopen"}))["act"]
    for act in ("unarchive", "reopen"):
        done = world.ask("organiser", state, method="POST", data={"act": act, "confirm": True})
    assert (done.json()["closed_at"], done.json()["archived_at"]) == (None, None)


def test_a_campaign_is_deleted_by_its_slug_and_restored_with_its_tasks(world: World) -> None:
    held = f"campaigns/{world.cast.campaign.slug}"
    why = world.ask("organiser", f"{held}/delete", method="POST", data={"address": "x"})
    assert "registered team" in refused(why)[""]
    made = campaign_create(actor=world.cast.organiser, slug="brief", title="Brief")
    task = make_task(made, phase=Task.SETUP)
    for data, status in (({"address": "other"}, 422), ({"address": "brief"}, 409)):
        answer = world.ask("organiser", "campaigns/brief/delete", method="POST", data=data)
        assert answer.status_code == status, answer.content
    sure = {"address": "brief", "confirm": True}
    assert world.ask("organiser", "campaigns/brief/delete", method="POST", data=sure).status_code == 204
    assert world.ask("organiser", "campaigns/brief").status_code == 404
    listed = {one["kind"]: one for one in world.ask("organiser", "trash").json() if one["title"] == "Brief"}
    assert world.ask("member", "trash").json() == []
    address = f"trash/campaign/{listed['campaign']['id']}/restore"
    assert world.ask("member", address, method="POST").status_code == 404
    assert world.ask("organiser", address, method="POST").status_code == 204
    assert Task.objects.filter(pk=task.pk).exists()
    assert world.ask("organiser", address, method="POST").status_code == 404


def test_a_task_in_its_set_up_is_deleted_and_an_open_one_is_not(world: World) -> None:
    draft = make_task(world.cast.campaign, phase=Task.SETUP)
    address = f"campaigns/{world.cast.campaign.slug}/tasks/{draft.slug}/delete"
    sure = {"address": draft.slug, "confirm": True}
    assert world.ask("organiser", address, method="POST", data=sure).status_code == 204
    assert draft.pk in [one["id"] for one in world.ask("organiser", "trash").json()]
    assert "cannot be deleted" in send(world, "POST", "delete", {"address": world.cast.task.slug}).content.decode()
