"""A campaign taken away as an archive and restored elsewhere, by program."""

from django.http import HttpResponse

from campaign.models import Campaign, Restoration
from tests.api.makers import World, make_token
from tests.api.makers import ask as ask_as
from tests.api.test_organising import refused
from tests.factories import make_user


def followed(world: World, answer: HttpResponse) -> HttpResponse:
    return world.ask("organiser", answer["Location"].partition("/api/v1/")[2])


def test_an_archive_is_made_downloaded_sent_and_restored_at_another_address(world: World) -> None:
    archives = f"campaigns/{world.cast.campaign.slug}/archives"
    asked = world.ask("organiser", archives, method="POST", data={"task": world.cast.task.slug, "people": "names"})
    assert asked.status_code == 202, asked.content
    made = followed(world, asked).json()
    assert (made["state"], made["task"], made["people"]) == ("done", world.cast.task.slug, "names")
    whole = followed(world, world.ask("organiser", archives, method="POST", data={})).json()
    file = world.ask("organiser", f"{archives}/{whole['id']}/file")
    assert file["Content-Type"] == "application/zip"
    assert "task" in refused(world.ask("organiser", archives, method="POST", data={"task": "elsewhere"}))

    sent = world.ask("organiser", "restorations", method="POST", data={}, file=file.content_seen)
    checked = followed(world, sent).json()
    assert (checked["state"], checked["sha256"], checked["problems"]) == ("ready", whole["sha256"], [])
    confirm = f"restorations/{checked['id']}/confirm"
    taken = world.ask("organiser", confirm, method="POST", data={"slug": world.cast.campaign.slug})
    assert "slug" in refused(taken)
    stranger = ask_as(confirm, make_token(make_user()), method="POST", data={"slug": "back"})
    assert stranger.status_code == 404
    restored = world.ask("organiser", confirm, method="POST", data={"slug": "back"})
    assert restored.status_code == 202, restored.content


def test_what_is_no_archive_says_why_and_is_discarded(world: World) -> None:
    campaigns = Campaign.objects.count()
    bad = followed(world, world.ask("organiser", "restorations", method="POST", data={}, file=b"no zip")).json()
    assert (bad["state"], len(bad["problems"])) == ("bad", 1)
    assert bad["problems"][0]["remedy"]
    discarded = world.ask("organiser", f"restorations/{bad['id']}/discard", method="POST")
    assert discarded.json()["state"] == Restoration.DISCARDED
    assert Campaign.objects.count() == campaigns
