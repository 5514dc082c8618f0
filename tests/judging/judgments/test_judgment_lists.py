"""From the progress page to every judgment and to the history of a document, for organisers only."""

from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

import pytest
from django.core.management import CommandError
from django.utils import timezone

from campaign.models import Document
from judging.desk.services.judgments import judgment_record, judgment_undo
from judging.models import Judgment
from judging.progress.selectors.progress import progress_of
from judging.progress.views import history
from tests.factories import Cast
from tests.judging.makers import ROLES, client_of, judge, make_assignment
from tests.judging.test_commands import run

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"


def listed(cast: Cast, query: str = "") -> str:
    return client_of(cast, "organiser").get(cast.task.url("judgment_list") + query).content.decode()


def docnos(page: str) -> list[str]:
    return [docno for docno in ("D1", "D2", "D3", "D4") if f">{docno}</a>" in page]


@pytest.mark.sqlite("judging.progress.selectors.history.listed_judgments")
def test_judgments_are_found_by_grade_flag_note_cannot_judge_and_word(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3", "D4"])
    judge(assignment, "D1", 1, flagged=True)
    judge(assignment, "D2", 0, note=f"rails {HOSTILE}")
    judge(assignment, "D3", None)
    assert docnos(listed(cast)) == ["D1", "D2", "D3"]
    assert HOSTILE not in listed(cast)
    expected = {"shown=flagged": ["D1"], "shown=noted": ["D2"], "shown=cannot_judge": ["D3"], "grade=0": ["D2"]}
    expected |= {"word=RAILS": ["D2"], "word=d3": ["D3"], f"assignment={assignment.pk}": ["D1", "D2", "D3"]}
    expected |= {f"assignment={assignment.pk + 1}": []}
    assert {query: docnos(listed(cast, f"?{query}")) for query in expected} == expected


def test_the_list_says_in_words_what_a_grade_means_and_whose_judgments_these_are(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1"])
    judge(assignment, "D1", 2)
    assert "2 relevant\n" in listed(cast)
    named = f"<span>topic 401 <bdi>{assignment.topic.title}</bdi></span>"
    assert (named in listed(cast), named in listed(cast, f"?assignment={assignment.pk}")) == (False, True)


@pytest.mark.parametrize("query", ["?grade=x", "?shown=all", "?before=x", "?assignment=-1", "?word=" + "x" * 300])
def test_a_filter_that_is_not_known_is_told_and_never_an_error(cast: Cast, query: str) -> None:
    make_assignment(cast, ["D1"])
    page = client_of(cast, "organiser").get(cast.task.url("judgment_list") + query)
    assert (page.status_code, "This filter is not known" in page.content.decode()) == (422, True)


def test_pages_of_judgments_follow_each_other_by_the_last_one_shown(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(history, "JUDGMENTS_ON_A_PAGE", 2)
    assignment = make_assignment(cast, ["D1", "D2", "D3"])
    acts = [judge(assignment, docno, 1) for docno in ("D1", "D2", "D3")]
    assert docnos(first := listed(cast)) == ["D2", "D3"]
    assert f"before={acts[1].pk}" in first
    assert docnos(listed(cast, f"?before={acts[1].pk}")) == ["D1"]


def test_the_history_shows_every_act_with_all_that_was_kept_of_it(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1"])
    Document.objects.filter(docno="D1").update(title="A title", text=f"words {HOSTILE}", has_text=True)
    facts = {"active_ms": 4321, "away_ms": 98, "input_method": Judgment.KEY, "position": 7, "extent": Judgment.PASSAGE}
    values = {"verdict": Judgment.GRADED, "grade": 1, "note": HOSTILE, "text_sha256": "a" * 64, **facts}
    judgment_record(assessor=cast.assessor, assignment=assignment, uuid=uuid4(), docno="D1", **values)
    judge(assignment, "D1", 0)
    judgment_undo(assessor=cast.assessor, assignment=assignment)
    address = cast.task.url("judgment_history", topic_number="401") + "?docno=D1"
    page = client_of(cast, "organiser").get(address).content.decode()
    for shown in ("4,321 ms", "98 ms", "by key", "a passage", "a" * 64, "act 2", "act 1", "counts now", "A title"):
        assert shown in page
    assert (page.count('class="act"'), HOSTILE in page) == (3, False)
    roles = {role: client_of(cast, role).get(address).status_code for role in ROLES if role != "organiser"}
    assert 200 not in roles.values()


def test_an_unknown_document_or_topic_has_no_history(cast: Cast) -> None:
    judge(make_assignment(cast, ["D1"]), "D1", 1)
    client = client_of(cast, "organiser")
    for topic, docno in (("401", "D2"), ("402", "D1")):
        address = cast.task.url("judgment_history", topic_number=topic) + f"?docno={docno}"
        assert client.get(address).status_code == 404


def test_progress_tells_rate_relevant_flags_notes_and_an_expected_end_or_that_there_is_no_pace(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2", "D3", "D4"])
    client, address = client_of(cast, "organiser"), cast.task.url("judging_progress")
    assert "no pace yet" in client.get(address).content.decode()
    judge(assignment, "D1", 1, active_ms=60_000, flagged=True)
    judge(assignment, "D2", 0, active_ms=120_000, note="why")
    judge(assignment, "D2", 0, active_ms=20_000, note="why")
    [row] = progress_of([assignment])
    assert (row.rate, row.relevant, row.flagged, row.noted, row.judged) == (90.0, 1, 1, 1, 2)
    assert row.expected_end == timezone.now().date() + timedelta(days=1)
    for sort in ("topic", "-judged", "left", "rate", "end", "-relevant", "flagged", "-noted", "assessor", "x"):
        page = client.get(f"{address}?sort={sort}&topic=401").content.decode()
        assert "D1" not in page.partition("<main")[2]
    assert "No assignment is like this" in client.get(f"{address}?assessor=nobody").content.decode()


@pytest.mark.sqlite("judging.progress.selectors.topic_counts._groups")
def test_what_was_judged_long_ago_is_no_pace(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    judge(assignment, "D1", 1, judged_at=datetime(2026, 1, 1, tzinfo=UTC))
    [row] = progress_of([assignment])
    assert (row.days, row.expected_end) == ({date(2026, 1, 1): 1}, None)


def test_judgments_are_exported_as_they_stood_at_a_moment(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1"])
    first = judge(assignment, "D1", 1, note="=1+1")
    judge(assignment, "D1", 0)
    now, then = run(cast, "export_judgments"), run(cast, "export_judgments", "--last-act", str(first.pk))
    assert [len(text.splitlines()) for text in (now, then)] == [2, 2]
    assert ",graded,0," in now
    assert ",graded,1," in then
    assert "'=1+1" in then
    assert len(run(cast, "export_judgments", "--as-of", "2020-01-01T00:00").splitlines()) == 1
    for moment, told in (("yesterday", "is no date and time"), ("2020-01-01", "such as 2020-01-01 23:59")):
        with pytest.raises(CommandError, match=told):
            run(cast, "export_judgments", "--as-of", moment)
