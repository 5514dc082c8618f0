"""Contact, links and logo of a campaign; conflicts of interest of its assessors."""

import pytest
from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from campaign.formats.picture_heads import picture_head
from campaign.models import AuditEvent, Campaign, Role
from campaign.runs.services.submission import run_submit
from campaign.setup.selectors.interests import conflicts_in
from campaign.setup.services.people import role_grant
from campaign.setup.services.profiles import campaign_describe
from campaign.teams.services.teams import team_join
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_received_run
from tests.world import PIXELS

JPEG = b"\xff\xd8\xff\xe0\x00\x04ab\xff\xc0\x00\x11\x08" + (50).to_bytes(2, "big") + (70).to_bytes(2, "big") + b"\3"
WEBP = b"RIFF\x20\0\0\0WEBPVP8X\x0a\0\0\0\0\0\0\0" + (69).to_bytes(3, "little") + (49).to_bytes(3, "little")


def profile(cast: Cast, name: str = "campaign_profile") -> str:
    return reverse(name, kwargs={"campaign_slug": cast.campaign.slug})


@pytest.mark.parametrize("content", [JPEG, WEBP])
def test_the_size_of_a_picture_is_read_from_its_head(content: bytes) -> None:
    head = picture_head(content)
    assert head is not None
    assert (head.width, head.height) == (70, 50)
    for length in range(len(content) - 1):
        assert picture_head(content[:length]) is None or length > len(content) - 2


def test_the_page_of_a_campaign_shows_contact_links_and_logo(cast: Cast) -> None:
    values = {"contact": "ask@example.org", "links": "Mailing list https://lists.example.org/", "logo_text": "A wheel"}
    logo = SimpleUploadedFile("evil.html", PIXELS, content_type="text/html")
    signed_in(cast.organiser).post(profile(cast), {**values, "logo": logo})
    page = Client().get(cast.campaign.get_absolute_url()).content.decode()
    assert 'href="mailto:ask@example.org"' in page
    assert 'href="https://lists.example.org/"' in page
    assert 'alt="A wheel"' in page
    answer = Client().get(profile(cast, "campaign_logo"))
    assert (answer["Content-Type"], answer["X-Content-Type-Options"]) == ("image/png", "nosniff")
    signed_in(cast.organiser).post(profile(cast), {**values, "removes_logo": "on"})
    assert Client().get(profile(cast, "campaign_logo")).status_code == 404


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"links": "Here javascript:alert(1)"}, "no address that begins with https://"),
        ({"links": "https://no.label.example.org/"}, "write a label"),
        ({"website": "http://plain.example.org"}, "valid URL"),
        ({"logo": SimpleUploadedFile("a.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>")}, "PNG, JPEG or WebP"),
        ({"logo": SimpleUploadedFile("a.png", PIXELS)}, "what the logo shows"),
    ],
)
def test_a_mistake_is_named_and_nothing_is_stored(cast: Cast, wrong: dict[str, object], told: str) -> None:
    answer = signed_in(cast.organiser).post(profile(cast), {"contact": "ask", **wrong})
    assert answer.status_code == 422
    assert told in answer.content.decode()
    assert Campaign.objects.get(pk=cast.campaign.pk).contact == ""


def test_a_picture_of_too_many_pixels_is_refused(cast: Cast) -> None:
    huge = PIXELS[:16] + (9999).to_bytes(4, "big") * 2 + PIXELS[24:]
    with pytest.raises(ValidationError, match="9,999"):
        campaign_describe(actor=cast.organiser, campaign=cast.campaign, logo=ContentFile(huge), logo_text="x")


@pytest.mark.sqlite("campaign.setup.services.interests.conflicts_record")
def test_an_assessor_in_a_team_with_runs_is_told_and_noted_once(cast: Cast) -> None:
    make_received_run(cast.task, cast.team, "one", b"")
    assert conflicts_in(cast.campaign) == []
    team_join(actor=cast.assessor, key=cast.team.invitation_key)
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=cast.member, role=Role.ASSESSOR)
    file = ContentFile(b"1 Q0 a 1 1 two\n", name="two.txt")
    run_submit(actor=cast.member, task=cast.task, team=cast.team, file=file, file_name="two.txt", tag="two")
    found = [(conflict.user, conflict.team, conflict.runs) for conflict in conflicts_in(cast.campaign)]
    assert found == [(cast.assessor, cast.team.name, 2), (cast.member, cast.team.name, 2)]
    noted = AuditEvent.objects.filter(verb="conflict of interest").order_by("pk").values_list("data__user", flat=True)
    assert list(noted) == [cast.assessor.username, cast.member.username]
    for name, kwargs in (("people", {}), ("registration_list", {})):
        page = signed_in(cast.organiser).get(reverse(name, kwargs={"campaign_slug": cast.campaign.slug, **kwargs}))
        assert f"{cast.assessor.username}): {cast.team.name}, 2 runs" in page.content.decode()
