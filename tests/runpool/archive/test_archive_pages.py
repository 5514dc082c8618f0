"""An organiser makes an archive and takes it home; somebody restores it on another site, step by step."""

from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from campaign.models import Archive, Campaign, Restoration
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_campaign, make_cast, make_collection, make_topics, make_user
from tests.runpool.archive.makers import archive_of, bytes_of, made_elsewhere

pytestmark = pytest.mark.django_db


def make_small() -> tuple[bytes, str]:
    cast = make_cast()
    make_topics(cast.task, ["1", "2"])
    make_collection(cast.task, ["a", "b"])
    return bytes_of(archive_of(cast.campaign, cast.organiser)), cast.campaign.slug


def test_an_archive_is_asked_for_made_and_downloaded(cast: Cast, django_capture_on_commit_callbacks: Any) -> None:
    client, address = signed_in(cast.organiser), reverse("archive_list", kwargs={"campaign_slug": cast.campaign.slug})
    assert "No archive yet" in client.get(address).content.decode()
    asked = {"task": cast.task.pk, "documents": "texts", "people": "names"}
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address, asked).status_code == 302
    archive = Archive.objects.get()
    page = client.get(address).content.decode()
    assert archive.sha256 in page
    assert archive.content_sha256 in page
    download = reverse("archive_download", kwargs={"campaign_slug": cast.campaign.slug, "archive_id": archive.pk})
    assert client.get(download).getvalue() == bytes_of(archive)
    assert client.post(address, {**asked, "people": "everybody"}).status_code == 422


def test_a_task_of_another_campaign_cannot_be_archived(cast: Cast) -> None:
    other = make_cast()
    address = reverse("archive_list", kwargs={"campaign_slug": cast.campaign.slug})
    asked = {"task": other.task.pk, "documents": "docnos", "people": "pseudonyms"}
    assert signed_in(cast.organiser).post(address, asked).status_code == 422
    assert not Archive.objects.exists()


def test_an_archive_is_checked_shown_and_restored_at_the_chosen_address(
    django_capture_on_commit_callbacks: Any,
) -> None:
    content, slug = made_elsewhere(make_small)
    make_campaign(slug)
    importer = make_user()
    client = signed_in(importer)
    with django_capture_on_commit_callbacks(execute=True):
        sent = client.post(reverse("restoration_create"), {"file": SimpleUploadedFile("velo.zip", content)})
    address = sent["Location"]
    page = client.get(address).content.decode()
    assert f"The address {slug} is taken on this site." in page
    assert client.post(address, {"slug": slug}).status_code == 422
    with django_capture_on_commit_callbacks(execute=True):
        assert client.post(address, {"slug": "velo-again"}).status_code == 302
    assert "The campaign is restored" in client.get(address).content.decode()
    restored = Campaign.objects.get(slug="velo-again")
    assert client.get(restored.get_absolute_url()).status_code == 200
    assert signed_in(make_user()).get(address).status_code == 404


def test_a_discarded_archive_restores_nothing(django_capture_on_commit_callbacks: Any) -> None:
    content, _ = made_elsewhere(make_small)
    client = signed_in(make_user())
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("restoration_create"), {"file": SimpleUploadedFile("velo.zip", content)})
    restoration = Restoration.objects.get()
    client.post(reverse("restoration_discard", kwargs={"restoration_id": restoration.pk}))
    restoration.refresh_from_db()
    assert restoration.state == Restoration.DISCARDED
    assert not Campaign.objects.exists()
