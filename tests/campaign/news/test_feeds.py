"""The feed and the calendar: valid, stable, and with hostile texts as texts."""

from datetime import UTC, datetime, timedelta
from xml.etree import ElementTree

from django.test import Client
from django.urls import reverse
from django.utils import timezone

from campaign.formats.icalendar import Event, calendar_lines, escaped
from campaign.models import Campaign, Notice, Task
from campaign.setup.services.tasks import task_update
from tests.campaign.news.makers import make_milestone, make_notice
from tests.campaign.runs.makers import signed_in
from tests.campaign.teams.makers import Sent
from tests.factories import Cast

ATOM = "{http://www.w3.org/2005/Atom}"


def address(name: str, cast: Cast, **more: object) -> str:
    return reverse(name, kwargs={"campaign_slug": cast.campaign.slug, **more})


def lines_of(calendar: str) -> list[str]:
    """The lines as a reader joins them."""
    return calendar.replace("\r\n ", "").split("\r\n")


def test_the_feed_is_atom_with_stable_identifiers_and_texts_as_texts(cast: Cast) -> None:
    Campaign.objects.update(title="<b>& co</b>")
    notice = make_notice(cast, title="<script>x</script> & more", body="**Bold** <script>y</script> \x0b\ufffe")
    make_notice(cast, Notice.TEAMS, title="Not public")
    answer = Client().get(address("news_feed", cast))
    assert answer["Content-Type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    assert feed.findtext(f"{ATOM}title") == "<b>& co</b>: news"
    [entry] = feed.findall(f"{ATOM}entry")
    assert entry.findtext(f"{ATOM}id") == f"urn:uuid:{notice.batch}"
    assert entry.findtext(f"{ATOM}title") == "<script>x</script> & more"
    summary = entry.findtext(f"{ATOM}summary") or ""
    assert "<strong>Bold</strong>" in summary
    assert "<script>" not in summary
    for needed in ("updated", "published", "author"):
        assert entry.find(f"{ATOM}{needed}") is not None


def test_who_caused_an_automatic_notice_is_named_to_nobody(cast: Cast) -> None:
    with Sent() as sent:
        task_update(actor=cast.organiser, task=cast.task, closes_at=timezone.now() + timedelta(days=20))
    assert sent.mails
    pages = [Client().get(address(name, cast)).content.decode() for name in ("news_feed", "news_list")]
    assert not any(str(cast.organiser) in text for text in [*pages, *(mail.body for mail in sent.mails)])
    make_notice(cast)
    assert str(cast.organiser) in Client().get(address("news_feed", cast)).content.decode()


def test_a_reader_that_has_the_feed_gets_it_no_second_time(cast: Cast) -> None:
    for _ in range(2):  # empty, then with a notice
        first = Client().get(address("news_feed", cast))
        etag, at = first["ETag"], first["Last-Modified"]
        assert Client().get(address("news_feed", cast), headers={"If-None-Match": etag}).status_code == 304
        assert Client().get(address("news_feed", cast), headers={"If-Modified-Since": at}).status_code == 304
        make_notice(cast)
        assert Client().get(address("news_feed", cast), headers={"If-None-Match": etag}).status_code == 200


def test_pages_name_the_feed_in_their_head(cast: Cast) -> None:
    link = f'href="{address("news_feed", cast)}"'
    for page in (cast.campaign.get_absolute_url(), address("news_list", cast)):
        assert link in Client().get(page).content.decode().partition("</head>")[0]


def test_the_calendar_holds_all_dates_that_the_reader_may_see(cast: Cast) -> None:
    Task.objects.update(opens_at=datetime(2027, 1, 1, tzinfo=UTC), closes_at=datetime(2027, 2, 1, 11, 59, tzinfo=UTC))
    make_milestone(cast.campaign, "Meeting; Rome, Italy")
    lines = lines_of(Client().get(address("campaign_calendar", cast)).content.decode())
    starts = [line.partition(":")[2] for line in lines if line.startswith("DTSTART")]
    assert starts == ["20270101T000000Z", "20270201T115900Z", "20270501T120000Z"]
    assert f"SUMMARY:{cast.campaign}: Meeting\\; Rome\\, Italy" in lines
    Task.objects.update(phase=Task.SETUP)
    assert Client().get(address("campaign_calendar", cast)).content.decode().count("BEGIN:VEVENT") == 1


def test_dates_after_the_end_of_the_uploads_are_not_in_the_calendar(cast: Cast) -> None:
    now = timezone.now()
    Task.objects.update(opens_at=now - timedelta(days=2), closes_at=now + timedelta(days=2))
    calendar = address("campaign_calendar", cast)
    assert "deadline for runs" in Client().get(calendar).content.decode()
    Task.objects.update(runs_closed_at=now)
    closed = Client().get(calendar).content.decode()
    assert "deadline for runs" not in closed
    assert "opens for runs" in closed
    Task.objects.update(runs_closed_at=None)
    Campaign.objects.update(closed_at=now)
    assert "deadline for runs" not in Client().get(calendar).content.decode()


def test_a_moved_date_keeps_its_identifier_and_says_when_it_was_moved(cast: Cast) -> None:
    def event() -> dict[str, str]:
        lines = lines_of(Client().get(address("campaign_calendar", cast)).content.decode())
        return dict(line.split(":", 1) for line in lines if line.startswith(("UID", "DTSTART", "LAST-MODIFIED")))

    Task.objects.update(created_at=datetime(2026, 1, 1, tzinfo=UTC))
    before = event()
    cast.task.refresh_from_db()
    task_update(actor=cast.organiser, task=cast.task, closes_at=cast.task.closes_at + timedelta(days=1))
    after = event()
    assert before["UID"] == after["UID"]
    assert before["LAST-MODIFIED"] < after["LAST-MODIFIED"]
    assert before["DTSTART"] < after["DTSTART"]


def test_long_lines_are_folded_at_75_octets_between_characters() -> None:
    at = datetime(2027, 1, 1, tzinfo=UTC)
    summary = "é" * 100 + "\r\nBEGIN:VEVENT\x00"
    text = "".join(calendar_lines("c", [Event("1@x", at, f"{summary}: x", "", at)]))
    assert max(len(line.encode()) for line in text.split("\r\n")) <= 75
    assert "SUMMARY:" + escaped(f"{summary}: x") in lines_of(text)
    assert text.count("\r\nBEGIN:VEVENT\r\n") == 1


def test_milestones_are_added_changed_and_removed_in_the_time_zone_of_the_campaign(cast: Cast) -> None:
    client = signed_in(cast.organiser)
    sent = {"label": "Notebook papers", "at": "2027-05-01T12:00", "link": "https://example.org/papers"}
    assert client.post(address("milestone_list", cast), sent).status_code == 302
    [milestone] = cast.campaign.milestones.all()
    assert milestone.at == datetime(2027, 5, 2, tzinfo=UTC)
    shown = Client().get(cast.campaign.get_absolute_url()).content.decode()
    assert "Notebook papers" in shown
    assert 'href="https://example.org/papers"' in shown
    edit = address("milestone_edit", cast, milestone_id=milestone.pk)
    assert client.post(edit, {**sent, "link": "javascript:alert(1)"}).status_code == 422
    assert client.post(edit, {**sent, "label": "Papers", "at": "2020-05-01T12:00"}).status_code == 302
    over = Client().get(cast.campaign.get_absolute_url()).content.decode()
    assert "Papers" in over
    assert "over" in over
    client.post(address("milestone_remove", cast, milestone_id=milestone.pk))
    assert not cast.campaign.milestones.exists()
