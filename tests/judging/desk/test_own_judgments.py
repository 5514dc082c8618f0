"""The list of one's own judgments: filters, words, pages, and nothing of anybody else."""

from uuid import uuid4

import pytest
from django.http import HttpResponse

from campaign.models import Document, Role
from judging.desk.selectors.own_judgments import filters_of, own_lines
from judging.desk.services.judgments import judgment_record
from judging.desk.views.own_judgments import PAGE
from judging.models import Assignment
from tests.factories import Cast, make_user
from tests.judging.makers import assign, client_of, judge, make_assignment

pytestmark = pytest.mark.django_db

DOCNOS = ["D1", "D2", "D3", "D4"]


@pytest.fixture
def own(cast: Cast) -> Assignment:
    return make_assignment(cast, DOCNOS)


def listed(cast: Cast, role: str = "assessor", *, fragment: bool = False, **query: str) -> HttpResponse:
    headers = {"HX-Request": "true"} if fragment else {}
    return client_of(cast, role).get(cast.task.url("own_judgments", topic_number="401"), query, headers=headers)


def docnos_shown(own: Assignment, shown: str = "all", text: str = "") -> list[str]:
    return [line.item.docno for line in own_lines(own, shown, text)]


@pytest.fixture
def judged(own: Assignment) -> Assignment:
    judge(own, "D1", 2, note="Ein Zeppelin")
    judge(own, "D2", None, reason="no text")
    judge(own, "D3", 0, flagged=True)
    return own


def test_words_are_found_in_whatever_form_they_are_written(own: Assignment) -> None:
    judge(own, "D1", 2, note="Nguye\u0302\u0303n und ＰＤＦ")
    assert docnos_shown(own, text="nguyễn pdf") == docnos_shown(own, text="NGUYEN") == ["D1"]


@pytest.mark.parametrize(
    ("shown", "docnos"),
    [
        ("all", DOCNOS),
        ("unjudged", ["D4"]),
        ("grade-2", ["D1"]),
        ("grade-0", ["D3"]),
        ("grade-1", []),
        ("cannot_judge", ["D2"]),
        ("flagged", ["D3"]),
        ("noted", ["D1"]),
    ],
)
def test_each_filter_shows_what_it_names(judged: Assignment, shown: str, docnos: list[str]) -> None:
    assert shown in filters_of(judged)
    assert docnos_shown(judged, shown) == docnos


def test_words_are_found_in_title_number_and_note_in_any_case_and_all_must_be_there(judged: Assignment) -> None:
    Document.objects.filter(docno="D4").update(title="ÉTÉ in the Alps")
    assert docnos_shown(judged, text="zeppelin") == ["D1"]
    assert docnos_shown(judged, text="été alps") == ["D4"]
    assert docnos_shown(judged, text="d3") == ["D3"]
    assert docnos_shown(judged, text="title d2") == ["D2"]
    assert docnos_shown(judged, text="title zeppelin d2") == []
    assert docnos_shown(judged, "flagged", "zeppelin") == []


def test_a_draft_is_listed_with_its_note_and_without_a_judgment(own: Assignment) -> None:
    judgment_record(
        assessor=own.assessor, assignment=own, uuid=uuid4(), docno="D2", verdict="draft", grade=None, note="later"
    )
    [line] = own_lines(own, "noted", "")
    assert (line.item.docno, line.grade_in_words) == ("D2", "no judgment")


def test_a_line_leads_to_the_document_and_the_desk_leads_to_the_list(cast: Cast, judged: Assignment) -> None:
    page = listed(cast).content.decode()
    desk = cast.task.url("desk", topic_number="401")
    assert f'href="{desk}?assignment={judged.pk}&amp;docno=D1"' in page
    assert "Ein Zeppelin" in page
    assert ">0 not relevant, flagged<" in page
    assert cast.task.url("own_judgments", topic_number="401") in client_of(cast, "assessor").get(desk).content.decode()


def test_the_desk_fetches_the_lines_alone(cast: Cast, judged: Assignment) -> None:
    fragment = listed(cast, fragment=True, show="grade-2").content.decode()
    assert "<html" not in fragment
    assert 'data-docno="D1"' in fragment
    assert "D2" not in fragment


def test_what_others_judge_or_note_of_the_same_documents_is_not_shown(cast: Cast, own: Assignment) -> None:
    other = make_user("zacharias")
    Role.objects.create(campaign=cast.campaign, user=other, role=Role.ASSESSOR)
    second = assign(own.pool, own.topic, other, cast.organiser, pass_number=2)
    judge(second, "D1", 3, note="the note of somebody else", flagged=True)
    page = listed(cast).content.decode()
    assert "somebody else" not in page
    assert "3 perfect</span>" not in page
    assert docnos_shown(own, "flagged") == docnos_shown(own, text="somebody") == []


def test_a_long_list_has_pages_that_keep_the_filter(cast: Cast) -> None:
    make_assignment(cast, [f"D{number:03}" for number in range(PAGE + 3)])
    first, second = (listed(cast, show="unjudged", text="d0", page=page).content.decode() for page in ("1", "2"))
    assert first.count("data-docno=") == PAGE
    assert second.count("data-docno=") == 3
    assert "show=unjudged&amp;text=d0&amp;page=2" in first
    assert 'rel="prev"' in second


@pytest.mark.parametrize(
    "query", [{"show": "grade-x"}, {"show": "<i>"}, {"page": "-1"}, {"page": "x"}, {"text": "<b>" * 999}]
)
def test_any_question_has_an_answer(cast: Cast, judged: Assignment, query: dict[str, str]) -> None:
    answer = listed(cast, **query)
    assert answer.status_code == 200
    assert b"<b>" not in answer.content


def test_notes_and_titles_bring_no_markup(cast: Cast, own: Assignment) -> None:
    Document.objects.update(title="<i>title</i>")
    judge(own, "D1", 1, note="<script>1</script>")
    page = listed(cast).content
    assert b"<i>title" not in page
    assert b"<script>1" not in page


def test_where_nothing_matches_the_list_says_what_to_do(cast: Cast, judged: Assignment) -> None:
    assert "Choose “all documents”, or fewer words." in listed(cast, text="nothing").content.decode()
