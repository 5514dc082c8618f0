"""What assessors and organisers choose of the desk: keys, the place of the subtopics, passages, guidelines, reasons."""

import json
import re
from typing import Any

import pytest

from campaign.models import AuditEvent, Task, User
from judging.core.keyboard_shortcuts import COMMANDS, command_keys, letters_for
from judging.core.modes import subtopic
from judging.core.modes.declaration import JudgedTopic, Step, SubtopicText
from judging.models import Assignment, Judgment
from tests.factories import Cast
from tests.judging.makers import client_of, make_assignment, make_subtopics

pytestmark = pytest.mark.django_db

KEYS = "/account/keys/"
USUAL = {name: key for name, (key, _) in COMMANDS.items()}
SCALE = (Step(0, "no", "0"), Step(1, "yes", "1"))


@pytest.fixture
def own(cast: Cast) -> Assignment:
    return make_assignment(cast, ["D1", "D2"])


def desk_of(cast: Cast, own: Assignment) -> str:
    return client_of(cast, "assessor").get(own.pool.task.url("desk", topic_number="401")).content.decode()


def data_of(page: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(page.split('id="desk-data" type="application/json">')[1].split("</script>")[0])
    return found


def test_own_keys_are_stored_audited_and_shown_at_the_desk(cast: Cast, own: Assignment) -> None:
    answer = client_of(cast, "assessor").post(KEYS, {**USUAL, "flag": "Q", "skip": ";"})
    assert answer.status_code == 302
    assert User.objects.get(pk=cast.assessor.pk).desk_keys == {"flag": "q", "skip": ";"}
    assert set(AuditEvent.objects.get(object_type="user").data) == {"desk_keys"}
    page = desk_of(cast, own)
    assert 'value="flag" aria-keyshortcuts="q"' in page
    assert "<kbd>;</kbd> skip" in page


@pytest.mark.parametrize(
    ("sent", "said"),
    [
        ({"flag": "u"}, "“u” is the key of undo, too. Choose another one."),
        ({"flag": "2"}, "Digits are the keys of the grades."),
        ({"flag": "/"}, "finds words. Choose another one."),
        ({"flag": "ff"}, "Type one character"),
        ({"flag": "\u200b"}, "Type one character"),
        ({"flag": ""}, "This field is required."),
    ],
)
def test_a_key_that_clashes_is_refused_with_words_and_nothing_is_stored(
    cast: Cast, sent: dict[str, str], said: str
) -> None:
    answer = client_of(cast, "assessor").post(KEYS, {**USUAL, "skip": "q", **sent})
    assert answer.status_code == 422
    assert said in answer.content.decode()
    assert User.objects.get(pk=cast.assessor.pk).desk_keys == {}


def test_two_commands_may_exchange_their_keys_and_get_the_usual_ones_back(cast: Cast) -> None:
    client = client_of(cast, "assessor")
    client.post(KEYS, {**USUAL, "following": "k", "previous": "j"})
    assert User.objects.get(pk=cast.assessor.pk).desk_keys == {"following": "k", "previous": "j"}
    client.post(KEYS, {"usual": "1"})
    assert User.objects.get(pk=cast.assessor.pk).desk_keys == {}


def test_keys_that_were_chosen_before_usual_ones_changed_can_be_saved_as_they_are_shown(cast: Cast) -> None:
    User.objects.filter(pk=cast.assessor.pk).update(desk_keys={"flag": "n", "unjudged": "q"})
    client = client_of(cast, "assessor")
    shown = client.get(KEYS).context["form"].initial
    assert (shown["flag"], shown["unjudged"]) == ("n", "q")
    assert client.post(KEYS, shown).status_code == 302
    kept = User.objects.get(pk=cast.assessor.pk).desk_keys
    assert command_keys((), kept) == shown


def test_no_command_and_no_subtopic_is_given_the_earlier_key_of_the_note() -> None:
    assert "m" not in command_keys("abcdefghijkl").values()
    assert "m" not in letters_for(30, taken=[])
    assert command_keys((), {"note": "m"})["note"] == "m", "who chooses it has it"


def test_a_grade_takes_an_own_key_and_the_command_gets_a_letter_that_nothing_uses() -> None:
    keys = command_keys(["q", "1"], {"flag": "q"})
    assert keys["flag"] not in {"q", *(key for name, key in keys.items() if name != "flag")}


def test_letters_of_subtopics_leave_own_keys_alone() -> None:
    texts = tuple(SubtopicText(str(number), "") for number in range(9))
    parts = subtopic.desk(JudgedTopic("1", SCALE, texts, own_keys=frozenset("ae")), {})
    letters = [row["key"] for row in parts.context["subtopics"]]
    assert not set("ae") & set(letters)
    assert letters_for(2, taken=["0", "1", "a", "e"]) == letters[:2]


def test_subtopics_stand_before_the_grade_or_after_it(cast: Cast, own: Assignment) -> None:
    Task.objects.update(judging_mode="subtopic")
    make_subtopics(own.topic, ["1"])
    before = desk_of(cast, own)
    Task.objects.update(subtopics_after_grade=True)
    after = desk_of(cast, own)
    tick, grade = 'name="subtopic"', 'class="grades"'
    assert before.index(tick) < before.index(grade)
    assert after.index(grade) < after.index(tick)
    assert [data_of(page)["gradeFirst"] for page in (before, after)] == [False, True]


def test_without_subtopics_a_grade_goes_on_whatever_the_setting(cast: Cast, own: Assignment) -> None:
    Task.objects.update(judging_mode="subtopic", subtopics_after_grade=True)
    assert data_of(desk_of(cast, own))["gradeFirst"] is False


def test_passages_are_off_at_first_and_their_key_is_listed_only_where_they_are_on(cast: Cast, own: Assignment) -> None:
    page = desk_of(cast, own)
    assert not data_of(page)["passageFirst"]
    assert COMMANDS["full"][1] not in page
    Task.objects.update(passage_first=True)
    page = desk_of(cast, own)
    assert data_of(page)["passageFirst"]
    assert COMMANDS["full"][1] in page


def test_the_guidelines_stand_at_the_desk_once_formatted_and_folded(cast: Cast, own: Assignment) -> None:
    Task.objects.update(guidelines="# Rules\n\nRead *all*. <script>alert(1)</script>")
    page = desk_of(cast, own)
    assert page.count("<em>all</em>") == 1
    assert "<script>alert" not in page
    assert '<details class="more desk-part" id="desk-guidelines" data-remembered>' in page
    Task.objects.update(guidelines="")
    assert "desk-guidelines" not in desk_of(cast, own)


def test_without_scripts_the_reason_is_chosen_in_the_form_and_a_grade_keeps_none(cast: Cast, own: Assignment) -> None:
    reason = own.pool.task.reasons[0]
    page = desk_of(cast, own)
    plain = re.findall("<noscript>(.*?)</noscript>", page, re.DOTALL)
    assert any(f"<option>{reason}</option>" in part for part in plain)
    client, desk = client_of(cast, "assessor"), own.pool.task.url("desk", topic_number="401")
    client.post(desk, {"docno": "D1", "act": "cannot_judge", "reason": reason})
    client.post(desk, {"docno": "D2", "grade": "1", "reason": reason})
    assert list(Judgment.objects.order_by("docno").values_list("docno", "verdict", "reason")) == [
        ("D1", "cannot_judge", reason),
        ("D2", "graded", ""),
    ]
