import pytest
from django.core.exceptions import ValidationError
from django.urls import reverse
from django.utils import timezone

from campaign.models import AuditEvent, Campaign, Registration, Task, Team
from campaign.teams.services.registrations import team_register
from campaign.teams.services.teams import team_create, team_join, team_leave, team_make_owner, team_renew_invitation
from tests.campaign.runs.makers import make_ready_cast, signed_in, submit
from tests.factories import Cast, make_campaign, make_team, make_user


@pytest.mark.parametrize(
    ("name", "slug"),
    [("Alba", "alba"), ("my_team", "my-team"), ("new", "team-new"), ("火車", "team"), ("Ünï & Co.", "uni-co")],
)
def test_a_team_has_an_address_whatever_its_name(db: None, name: str, slug: str) -> None:
    assert team_create(actor=make_user(), name=name).slug == slug


@pytest.mark.sqlite("campaign.teams.services.teams._free_slug", "campaign.teams.services.teams._save")
def test_teams_whose_names_look_alike_get_addresses_of_their_own(db: None) -> None:
    slugs = [team_create(actor=make_user(), name=name).slug for name in ("A B", "A-B", "A_B")]
    assert slugs == ["a-b", "a-b-2", "a-b-3"]


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_name_that_is_none_is_refused(db: None, name: str) -> None:
    with pytest.raises(ValidationError):
        team_create(actor=make_user(), name=name)
    assert not Team.objects.exists()


def test_joining_twice_changes_nothing(cast: Cast) -> None:
    for _ in range(2):
        team_join(actor=cast.stranger, key=cast.team.invitation_key)
    assert cast.team.memberships.filter(user=cast.stranger, is_owner=False).count() == 1
    assert AuditEvent.objects.filter(verb="join").count() == 1


def test_a_renewed_invitation_makes_the_old_link_useless(cast: Cast) -> None:
    old = cast.team.invitation_key
    team_renew_invitation(actor=cast.member, team=cast.team)
    with pytest.raises(ValidationError, match="not valid any more"):
        team_join(actor=cast.stranger, key=old)


def test_the_only_owner_cannot_leave_others_behind_but_after_naming_another_can(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    with pytest.raises(ValidationError, match="make another member an owner"):
        team_leave(actor=cast.member, team=cast.team)
    team_make_owner(actor=cast.member, team=cast.team, user=cast.stranger)
    team_leave(actor=cast.member, team=cast.team)
    assert [membership.user for membership in cast.team.memberships.all()] == [cast.stranger]


def test_the_last_member_stays_as_long_as_the_team_has_runs(db: None) -> None:
    cast = make_ready_cast()
    submit(cast)
    with pytest.raises(ValidationError, match="answer for them"):
        team_leave(actor=cast.member, team=cast.team)


def test_registering_twice_changes_nothing_and_a_draft_takes_no_team(cast: Cast) -> None:
    for _ in range(2):
        team_register(actor=cast.member, team=cast.team, campaign=cast.campaign)
    assert Registration.objects.filter(team=cast.team, campaign=cast.campaign).count() == 1
    with pytest.raises(ValidationError, match="not open yet"):
        team_register(actor=cast.member, team=cast.team, campaign=make_campaign(is_open=False))
    with pytest.raises(ValidationError, match="Only a member"):
        team_register(actor=cast.stranger, team=cast.team, campaign=cast.campaign)


def test_a_team_page_is_its_members_and_its_organisers(cast: Cast) -> None:
    people = [cast.organiser, cast.assessor, cast.member, cast.other_member, cast.stranger, None]
    statuses = [signed_in(person).get(cast.team.get_absolute_url()).status_code for person in people]
    assert statuses == [200, 404, 200, 404, 404, 302]


def test_only_an_owner_sees_the_invitation_link(cast: Cast) -> None:
    team_join(actor=cast.stranger, key=cast.team.invitation_key)
    for person, sees in ((cast.member, True), (cast.stranger, False), (cast.organiser, False)):
        page = signed_in(person).get(cast.team.get_absolute_url()).content.decode()
        assert (cast.team.invitation_key in page) is sees


@pytest.mark.parametrize("page", ["team_invitation", "team_owner"])
def test_only_an_owner_changes_the_team(cast: Cast, page: str) -> None:
    plain = make_user()
    team_join(actor=plain, key=cast.team.invitation_key)
    key = Team.objects.get(pk=cast.team.pk).invitation_key
    data = {"member": cast.team.memberships.get(user=plain).pk}
    address = reverse(page, kwargs={"team_slug": cast.team.slug})
    people = [cast.organiser, cast.assessor, plain, cast.other_member, cast.stranger, None]
    assert [signed_in(person).post(address, data).status_code for person in people] == [403, 404, 403, 404, 404, 302]
    assert Team.objects.get(pk=cast.team.pk).invitation_key == key
    assert signed_in(cast.member).get(address).status_code == 405
    assert signed_in(cast.member).post(address, data).status_code == 302


def test_a_person_of_another_team_cannot_be_made_an_owner(cast: Cast) -> None:
    address = reverse("team_owner", kwargs={"team_slug": cast.team.slug})
    other = cast.other_team.memberships.get().pk
    answer = signed_in(cast.member).post(address, {"member": other}, follow=True)
    assert "no member of the team" in answer.content.decode()
    assert cast.team.memberships.count() == 1


def test_an_invitation_asks_before_it_joins(cast: Cast) -> None:
    address = reverse("team_join", kwargs={"key": cast.team.invitation_key})
    client = signed_in(cast.stranger)
    assert "Join the team" in client.get(address).content.decode()
    assert not cast.team.memberships.filter(user=cast.stranger).exists()
    assert client.post(address).url == cast.team.get_absolute_url()
    assert cast.team.memberships.filter(user=cast.stranger).exists()
    assert client.get(address).url == cast.team.get_absolute_url()


@pytest.mark.parametrize("key", ["old", "x" * 500])
def test_a_dead_invitation_says_what_to_do(cast: Cast, key: str) -> None:
    for client_method in ("get", "post"):
        answer = getattr(signed_in(cast.stranger), client_method)(reverse("team_join", kwargs={"key": key}))
        assert answer.status_code == 404
        assert "Ask an owner" in answer.content.decode()


def test_an_invitation_brings_an_anonymous_reader_back_after_the_login(cast: Cast) -> None:
    address = reverse("team_join", kwargs={"key": cast.team.invitation_key})
    assert signed_in(None).get(address).url.endswith(f"?next={address}")


def test_leaving_asks_first_and_only_members_are_asked(cast: Cast) -> None:
    address = reverse("team_leave", kwargs={"team_slug": cast.team.slug})
    assert signed_in(cast.organiser).get(address).status_code == 404
    assert signed_in(cast.stranger).post(address).status_code == 404
    client = signed_in(cast.member)
    assert "Leave the team" in client.get(address).content.decode()
    assert cast.team.memberships.exists()
    assert client.post(address).url == reverse("team_list")
    assert not cast.team.memberships.exists()


def test_my_teams_are_mine(cast: Cast) -> None:
    page = signed_in(cast.member).get(reverse("team_list")).content.decode()
    assert cast.team.name in page
    assert cast.other_team.name not in page
    assert "You are not in a team yet" in signed_in(cast.stranger).get(reverse("team_list")).content.decode()
    assert signed_in(None).get(reverse("team_list")).status_code == 302


def test_founding_a_team_on_the_way_to_a_campaign_leads_back_there(cast: Cast) -> None:
    client = signed_in(cast.stranger)
    register = reverse("campaign_register", kwargs={"campaign_slug": cast.campaign.slug})
    found = f"{reverse('team_create')}?next={register}"
    assert found in client.get(register).content.decode()
    assert f'name="next" value="{register}"' in client.get(found).content.decode()
    assert client.post(reverse("team_create"), {"name": "Mine", "next": register}).url == register
    page = client.get(register).content.decode()
    assert "Register Mine" in " ".join(page.split())
    answer = client.post(register, {"team": Team.objects.get(name="Mine").pk}, follow=True).content.decode()
    assert "Upload a run" in answer
    assert Registration.objects.filter(team__name="Mine", registered_by=cast.stranger).exists()


@pytest.mark.parametrize("address", ["https://evil.example/", "//evil.example/", "javascript:alert(1)"])
def test_next_never_leaves_the_site(cast: Cast, address: str) -> None:
    client = signed_in(cast.stranger)
    assert address not in client.get(reverse("team_create"), {"next": address}).content.decode()
    assert client.post(reverse("team_create"), {"name": "Mine", "next": address}).url == "/teams/mine/"


def test_a_name_that_is_taken_is_reported_at_its_field(cast: Cast) -> None:
    answer = signed_in(cast.stranger).post(reverse("team_create"), {"name": cast.team.name})
    assert answer.status_code == 422
    assert "This name is not free. Choose another." in answer.content.decode()


def test_another_team_cannot_be_registered_through_the_form(cast: Cast) -> None:
    campaign = make_campaign()
    address = reverse("campaign_register", kwargs={"campaign_slug": campaign.slug})
    answer = signed_in(cast.member).post(address, {"team": cast.other_team.pk})
    assert answer.status_code == 422
    assert not campaign.registrations.exists()


def test_a_member_of_two_teams_chooses_which_one_takes_part(cast: Cast) -> None:
    campaign = make_campaign()
    second = make_team("Second", members=(cast.member,))
    address = reverse("campaign_register", kwargs={"campaign_slug": campaign.slug})
    client = signed_in(cast.member)
    assert client.get(address).content.decode().count('type="radio"') == 2
    client.post(address, {"team": second.pk})
    assert [registration.team for registration in campaign.registrations.all()] == [second]


def test_the_registration_page_of_a_draft_is_hidden_and_of_an_open_campaign_asks_for_login(cast: Cast) -> None:
    address = reverse("campaign_register", kwargs={"campaign_slug": cast.campaign.slug})
    assert signed_in(None).get(address).status_code == 302
    Campaign.objects.update(opened_at=None)
    assert signed_in(cast.stranger).get(address).status_code == 404
    assert "not open yet" in signed_in(cast.organiser).get(address).content.decode()
    Campaign.objects.update(opened_at=timezone.now())
    Task.objects.update(phase=Task.SETUP)
    assert "No task is open yet" in signed_in(cast.member).get(address).content.decode()
