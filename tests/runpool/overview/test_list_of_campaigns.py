"""The home page lists campaigns in pages, finds them by words and state, and costs no more for a site with a thousand."""

from datetime import timedelta

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Role, Task, User
from runpool.overview.selectors.campaigns import CampaignEntry, CampaignFilter, campaign_entries, campaigns_found
from runpool.overview.selectors.home import MOST_TASKS, next_steps_of
from runpool.overview.views import CAMPAIGNS_ON_A_PAGE, STEPS_AT_FIRST
from tests.factories import Cast, make_user

pytestmark = pytest.mark.django_db

NOW = timezone.now()


def make_many(count: int, organiser: User | None = None) -> list[Campaign]:
    """Open campaigns with a task each that takes runs."""
    campaigns = Campaign.objects.bulk_create(
        Campaign(slug=f"many-{n}", title=f"Campaign number {n}", opened_at=NOW) for n in range(count)
    )
    Task.objects.bulk_create(Task(campaign=one, slug="a", title="A", phase=Task.RUNS) for one in campaigns)
    if organiser is not None:
        Role.objects.bulk_create(Role(campaign=one, user=organiser, role=Role.ORGANISER) for one in campaigns)
    return campaigns


def found(user: User, **wanted: object) -> list[str]:
    return [campaign.slug for campaign in campaigns_found(user, CampaignFilter(**wanted))]  # type: ignore[arg-type]


def test_campaigns_come_in_pages_with_a_search_once_they_are_many() -> None:
    make_many(CAMPAIGNS_ON_A_PAGE + 1)
    first = Client().get(reverse("home")).content.decode()
    assert first.count('class="entry"') == CAMPAIGNS_ON_A_PAGE
    assert 'aria-label="Campaigns"' in first
    last = Client().get(reverse("home"), {"page": 2}).content.decode()
    assert last.count('class="entry"') == 1


def test_a_site_with_few_campaigns_shows_no_search() -> None:
    make_many(2)
    assert 'aria-label="Campaigns"' not in Client().get(reverse("home")).content.decode()


def test_the_page_asks_as_many_queries_for_many_campaigns_as_for_few() -> None:
    organiser = make_user("organiser-of-many")
    client = Client()
    client.force_login(organiser)
    make_many(3, organiser)
    client.get(reverse("home"))  # fills what is cached in the process
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(reverse("home"))
    Campaign.objects.all().delete()
    make_many(60, organiser)
    with CaptureQueriesContext(connection) as many:
        client.get(reverse("home"))
    assert len(many) <= len(few) + 1, "the count of a further page"


@pytest.mark.sqlite("runpool.overview.selectors.campaigns.campaigns_found")
def test_all_words_of_a_search_must_stand_in_title_address_or_summary(cast: Cast) -> None:
    Campaign.objects.create(slug="clef-2026", title="Chess problems", summary="Retrieval of problems", opened_at=NOW)
    assert found(cast.stranger, search="CHESS retrieval") == ["clef-2026"]
    assert found(cast.stranger, search="clef problems") == ["clef-2026"]
    assert found(cast.stranger, search="chess openings") == []


def test_a_search_that_finds_nothing_says_how_to_go_on() -> None:
    make_many(1)
    page = Client().get(reverse("home"), {"search": "<b>nowhere</b>"}).content.decode()
    assert "No campaign matches" in page
    assert "<b>nowhere" not in page


@pytest.mark.parametrize("state", CampaignEntry.TONES)
def test_the_filter_by_state_finds_just_the_entries_that_say_so(cast: Cast, state: str) -> None:
    """Against the state that the entries compute from their tasks."""
    whole: dict[str, dict[str, object]] = {
        "draft": {"opened_at": None},
        "no-task": {"opened_at": NOW},
        "open": {"opened_at": NOW},
        "half": {"opened_at": NOW},
        "done": {"opened_at": NOW},
        "closed": {"opened_at": NOW, "closed_at": NOW},
        "archived": {"opened_at": NOW, "closed_at": NOW, "archived_at": NOW},
    }
    phases = {
        "open": [Task.RUNS],
        "half": [Task.PUBLISHED, Task.RUNS],
        "done": [Task.PUBLISHED],
        "closed": [Task.PUBLISHED],
    }
    for name, values in whole.items():
        campaign = Campaign.objects.create(slug=f"s-{name}", title=name, **values)
        Role.objects.create(campaign=campaign, user=cast.organiser, role=Role.ORGANISER)
        for number, phase in enumerate(phases.get(name, [])):
            Task.objects.create(campaign=campaign, slug=f"t{number}", title="T", phase=phase)
    entries = campaign_entries(cast.organiser, campaigns_found(cast.organiser, CampaignFilter()))
    expected = [entry.campaign.slug for entry in entries if entry.state == state]
    assert expected
    assert found(cast.organiser, state=state) == expected


@pytest.mark.sqlite("runpool.overview.selectors.campaigns._next_date")
def test_the_nearest_coming_date_is_at_the_top_then_the_newest_campaigns(cast: Cast) -> None:
    late, soon, over, stopped, opens = make_many(5)
    day = timedelta(days=1)
    for campaign, dates in {
        late: {"closes_at": NOW + 9 * day},
        soon: {"closes_at": NOW + 2 * day, "opens_at": NOW - day},
        over: {"closes_at": NOW - day},
        stopped: {"closes_at": NOW + day, "runs_closed_at": NOW - day},
        opens: {"opens_at": NOW + 3 * day, "closes_at": NOW + 12 * day},
    }.items():
        Task.objects.filter(campaign=campaign).update(**dates)
    order = [slug for slug in found(cast.stranger) if slug.startswith("many-")]
    assert order[:3] == [soon.slug, opens.slug, late.slug]
    entries = campaign_entries(cast.stranger, campaigns_found(cast.stranger, CampaignFilter()))
    for entry in entries:
        assert entry.next_date == entry.campaign.next_at, "the order follows the dates that the entries show"  # type: ignore[attr-defined]


def test_mine_only_are_those_with_a_role_or_a_team(cast: Cast) -> None:
    make_many(2)
    assert found(cast.organiser, own=True) == [cast.campaign.slug]
    assert found(cast.member, own=True) == [cast.campaign.slug]
    assert found(cast.stranger, own=True) == []


def test_a_draft_is_found_by_its_own_people_only(cast: Cast) -> None:
    draft = Campaign.objects.create(slug="secret-plan", title="Secret plan")
    Role.objects.create(campaign=draft, user=cast.organiser, role=Role.ORGANISER)
    assert found(cast.organiser, search="secret") == ["secret-plan"]
    assert found(cast.stranger, search="secret") == []


def test_an_organiser_of_many_campaigns_sees_the_first_next_steps_and_then_all(cast: Cast) -> None:
    make_many(STEPS_AT_FIRST + 5, cast.organiser)
    client = Client()
    client.force_login(cast.organiser)
    steps = len(next_steps_of(cast.organiser))
    page = client.get(reverse("home")).content.decode()
    assert f"Show {steps - STEPS_AT_FIRST} more next steps" in page
    assert "more next steps" not in client.get(reverse("home"), {"steps": "all"}).content.decode()


@pytest.mark.sqlite("runpool.overview.selectors.home._first")
def test_what_waits_is_asked_of_a_bounded_number_of_tasks_those_at_work_first(cast: Cast) -> None:
    campaigns = make_many(MOST_TASKS + 5, cast.organiser)
    Task.objects.filter(campaign__in=campaigns[5:]).update(phase=Task.PUBLISHED)
    titles = [todo.title for todo in next_steps_of(cast.organiser)]
    for campaign in campaigns[:5]:
        assert f"{campaign} · A" in titles
