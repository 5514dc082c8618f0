import pytest
from django.core.exceptions import ValidationError

from campaign.models import AuditEvent, Campaign, Role
from campaign.setup.services.campaigns import campaign_create, campaign_open, campaign_update
from campaign.setup.services.people import role_grant, role_revoke
from tests.factories import Cast, make_user


def test_the_creator_of_a_campaign_organises_it_and_it_is_a_draft(db) -> None:
    user = make_user()
    campaign = campaign_create(actor=user, slug="velo", title="Velo")
    assert campaign.opened_at is None
    assert list(campaign.roles.values_list("user", "role")) == [(user.pk, Role.ORGANISER)]
    assert set(AuditEvent.objects.filter(campaign=campaign).values_list("verb", flat=True)) == {"create", "grant"}


@pytest.mark.parametrize("slug", ["new", "Velo", "ve lo", "-velo", ""])
def test_an_address_that_cannot_stand_in_a_url_is_refused_and_nothing_is_stored(db, slug: str) -> None:
    with pytest.raises(ValidationError) as caught:
        campaign_create(actor=make_user(), slug=slug, title="Velo")
    assert "slug" in caught.value.message_dict
    assert not Campaign.objects.exists()


def test_two_campaigns_cannot_share_an_address(db) -> None:
    campaign_create(actor=make_user(), slug="velo", title="Velo")
    with pytest.raises(ValidationError):
        campaign_create(actor=make_user(), slug="velo", title="Another")


def test_an_update_is_logged_with_what_was_there_before(cast: Cast) -> None:
    before = cast.campaign.title
    campaign_update(actor=cast.organiser, campaign=cast.campaign, title="Renamed", summary=cast.campaign.summary)
    assert AuditEvent.objects.get(verb="update").data == {"title": [before, "Renamed"]}
    assert Campaign.objects.get(pk=cast.campaign.pk).title == "Renamed"


def test_an_update_that_changes_nothing_leaves_no_trace(cast: Cast) -> None:
    campaign_update(actor=cast.organiser, campaign=cast.campaign, title=cast.campaign.title)
    assert not AuditEvent.objects.filter(verb="update").exists()


def test_opening_twice_keeps_the_first_date_and_logs_once(db) -> None:
    user = make_user()
    campaign = campaign_create(actor=user, slug="velo", title="Velo")
    first = campaign_open(actor=user, campaign=campaign).opened_at
    assert first is not None
    assert campaign_open(actor=user, campaign=campaign).opened_at == first
    assert AuditEvent.objects.filter(verb="open").count() == 1


def test_granting_a_role_twice_gives_it_once(cast: Cast) -> None:
    for _ in range(2):
        role_grant(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ASSESSOR)
    assert cast.campaign.roles.filter(user=cast.stranger).count() == 1
    assert AuditEvent.objects.filter(verb="grant").count() == 1


def test_an_unknown_role_is_refused(cast: Cast) -> None:
    with pytest.raises(ValidationError):
        role_grant(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role="emperor")


def test_the_last_organiser_stays(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="needs an organiser"):
        role_revoke(actor=cast.organiser, campaign=cast.campaign, user=cast.organiser, role=Role.ORGANISER)
    role_grant(actor=cast.organiser, campaign=cast.campaign, user=cast.stranger, role=Role.ORGANISER)
    role_revoke(actor=cast.organiser, campaign=cast.campaign, user=cast.organiser, role=Role.ORGANISER)
    organisers = cast.campaign.roles.filter(role=Role.ORGANISER)
    assert [role.user for role in organisers] == [cast.stranger]
    assert AuditEvent.objects.filter(verb="revoke", actor=cast.organiser).count() == 1


def test_an_assessor_can_be_revoked_and_again_changes_nothing(cast: Cast) -> None:
    for _ in range(2):
        role_revoke(actor=cast.organiser, campaign=cast.campaign, user=cast.assessor, role=Role.ASSESSOR)
    assert not cast.campaign.roles.filter(user=cast.assessor).exists()
    assert AuditEvent.objects.filter(verb="revoke").count() == 1
