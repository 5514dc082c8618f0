import pytest
from django.urls import reverse

from campaign.models import AuditEvent, User
from tests.campaign.runs.makers import signed_in
from tests.factories import Cast, make_user

SETTINGS = "/account/settings/"


def test_the_settings_are_saved_and_audited(db: None) -> None:
    user = make_user("ada")
    client = signed_in(user)
    answer = client.post(SETTINGS, {"display_name": " Ada L. ", "time_zone": "Europe/Zurich"}, follow=True)
    user.refresh_from_db()
    assert "Saved." in answer.content.decode()
    assert (user.display_name, user.time_zone, user.single_keys) == ("Ada L.", "Europe/Zurich", False)
    assert set(AuditEvent.objects.get().data) == {"display_name", "time_zone", "single_keys"}


def test_the_form_shows_what_is_set(db: None) -> None:
    user = make_user(display_name="Ada", time_zone="Asia/Tokyo", single_keys=True)
    page = signed_in(user).get(SETTINGS).content.decode()
    assert 'value="Ada"' in page
    assert '<option value="Asia/Tokyo" selected>' in page
    assert "checked" in page


@pytest.mark.parametrize("bad", [{"time_zone": "Mars/Olympus"}, {"display_name": "x" * 81}])
def test_a_bad_entry_is_reported_and_nothing_is_saved(db: None, bad: dict[str, str]) -> None:
    user = make_user(display_name="Ada")
    answer = signed_in(user).post(SETTINGS, {"display_name": "New", **bad})
    assert answer.status_code == 422
    user.refresh_from_db()
    assert (user.display_name, user.single_keys) == ("Ada", True)


def test_settings_are_for_people_who_are_signed_in(cast: Cast) -> None:
    assert signed_in(None).get(SETTINGS).status_code == 302


def test_switched_off_single_keys_hold_on_every_page(cast: Cast) -> None:
    pages = [reverse("home"), SETTINGS, cast.task.get_absolute_url(), reverse("team_list"), cast.task.url("run_list")]
    client = signed_in(cast.member)
    assert not any('data-shortcuts="off"' in client.get(page).content.decode() for page in pages)
    User.objects.update(single_keys=False)
    assert all('data-shortcuts="off"' in client.get(page).content.decode() for page in pages)
    assert 'data-shortcuts="off"' not in signed_in(None).get(reverse("home")).content.decode()


def test_the_chosen_time_zone_reaches_the_script_that_writes_times(cast: Cast) -> None:
    User.objects.update(time_zone="Asia/Tokyo")
    assert 'data-time-zone="Asia/Tokyo"' in signed_in(cast.member).get(reverse("home")).content.decode()
