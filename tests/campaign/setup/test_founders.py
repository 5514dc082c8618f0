"""Who may create campaigns, and what a slug that is not free tells."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.core.management.base import CommandError
from django.test import Client

from campaign.accounts.selectors import has_confirmed
from campaign.models import Campaign, User
from tests.campaign.runs.makers import signed_in
from tests.campaign.setup.test_pages import CAMPAIGN_FORM
from tests.factories import make_campaign, make_user

FORM = "/c/new/"


def change_user(*arguments: str) -> None:
    call_command("change_user", *arguments, stdout=StringIO())


def test_where_only_chosen_people_create_campaigns_the_others_are_told_whom_to_ask(db: None, settings) -> None:
    settings.CAMPAIGN_CREATION = "staff"
    client = signed_in(make_user())
    home = client.get("/").content.decode()
    assert "Create a campaign" not in home
    assert "ask the operators of this site" in home
    for answer in (client.get(FORM), client.post(FORM, CAMPAIGN_FORM)):
        assert answer.status_code == 403
        assert "Ask the operators of this site" in answer.content.decode()
    assert not Campaign.objects.exists()


@pytest.mark.parametrize("chosen", [{"is_superuser": True}, {"is_staff": True}, {"may_found_campaigns": True}])
def test_staff_and_chosen_people_create_campaigns(db: None, settings, chosen: dict[str, bool]) -> None:
    settings.CAMPAIGN_CREATION = "staff"
    client = signed_in(make_user(**chosen))
    assert "Create a campaign" in client.get("/").content.decode()
    assert client.post(FORM, CAMPAIGN_FORM).status_code == 302


def test_an_operator_lets_people_create_campaigns_and_takes_it_back(db: None) -> None:
    user = make_user("ada")
    for flag, expected in (("--may-found-campaigns", True), ("--may-not-found-campaigns", False)):
        change_user("ada", flag)
        user.refresh_from_db()
        assert user.may_found_campaigns is expected
    call_command("create_user", "eve", "--may-found-campaigns", stdout=StringIO())
    assert User.objects.get(username="eve").may_found_campaigns
    with pytest.raises(CommandError, match="no user"):
        change_user("nobody", "--may-found-campaigns")


def test_an_operator_gives_an_account_an_address_that_counts_as_confirmed(db: None) -> None:
    user = make_user("ada")
    change_user("ada", "--email", "ada@lovelace.example")
    user.refresh_from_db()
    assert has_confirmed(user, user.email)
    make_user("eve")
    with pytest.raises(CommandError, match="Another account"):
        change_user("eve", "--email", "ada@lovelace.example")


def test_the_slug_of_somebodys_draft_is_only_not_free(db: None) -> None:
    answers = []
    for slug, is_open in (("secret-draft", False), ("open-one", True)):
        make_campaign(slug, is_open=is_open)
        answer = signed_in(make_user()).post(FORM, CAMPAIGN_FORM | {"slug": slug})
        assert answer.status_code == 422
        answers.append(list(answer.context["form"].errors["slug"]))
    assert answers == [["This address is not free. Choose another."]] * 2


def test_a_draft_is_listed_to_nobody_but_its_people(db: None) -> None:
    make_campaign("secret-draft", is_open=False)
    for client in (Client(), signed_in(make_user())):
        for page in ("/", "/api/v1/campaigns"):
            assert "secret-draft" not in client.get(page).content.decode().lower()
