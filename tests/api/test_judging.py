"""An outside assessor tool: it takes documents, sends judgments, takes them back; what is wrong is refused in words."""

from functools import partial
from typing import Any
from uuid import uuid4

import pytest
from django.core.cache import cache
from django.utils import timezone

from campaign.models import Role, Task
from judging.models import Assignment, Judgment
from tests.api.makers import World, ask, make_token
from tests.factories import make_user
from tests.judging.makers import assign, judge, make_subtopics

pytestmark = pytest.mark.sqlite


def send(world: World, *judgments: dict[str, Any], assignment: int | None = None, role: str = "assessor") -> Any:
    key = world.values["assignment"] if assignment is None else assignment
    return world.ask(role, f"{world.task}/assignments/{key}/judgments", method="POST", data={"judgments": judgments})


def act(docno: str, grade: int | None = 1, **values: Any) -> dict[str, Any]:
    return {"uuid": str(uuid4()), "docno": docno, "grade": grade, **values}


def refusals(response: Any) -> list[str]:
    return [result["message"] for result in response.json()["results"] if result["state"] == "refused"]


def own(world: World) -> Assignment:
    return Assignment.objects.get(pk=world.values["assignment"])


def test_a_tool_judges_a_topic_from_its_list_of_assignments_to_its_end(world: World) -> None:
    [assignment] = world.ask("assessor", f"{world.task}/assignments").json()["items"]
    address = f"{world.task}/assignments/{assignment['id']}/next-documents"
    taken = world.ask("assessor", address, method="POST", data={"limit": 2}).json()
    assert ([row["docno"] for row in taken["documents"]], taken["left"]) == (["a", "b"], 3)
    assert all(row["text"] and len(row["sha256"]) == 64 for row in taken["documents"])
    told = send(world, act("a", 1, note="on it"), act("b", None, verdict="cannot_judge"), act("c", 0)).json()
    assert ([result["state"] for result in told["results"]], told["saved"], told["total"]) == (["saved"] * 3, 3, 3)
    assert world.ask("assessor", address, method="POST", data={}).json()["documents"] == []
    assert own(world).finished_at is not None
    listed = world.ask("assessor", f"{world.task}/judgments").json()["items"]
    assert [(row["docno"], row["grade"], row["verdict"], row["input_method"]) for row in listed] == [
        ("a", 1, "graded", "script"),
        ("b", None, "cannot_judge", "script"),
        ("c", 0, "graded", "script"),
    ]


def test_a_judgment_is_taken_back_by_its_uuid_or_as_the_last_one(world: World) -> None:
    first, second = act("a", 0), act("a", 1)
    send(world, first, second)
    undone = send(world, {"uuid": str(uuid4()), "docno": "a", "undoes": second["uuid"]})
    assert refusals(undone) == []
    assert Judgment.objects.get(is_current=True).grade == 0
    last = world.ask("assessor", f"{world.task}/assignments/{world.values['assignment']}/undo", method="POST").json()
    assert (last["verdict"], last["undoes"], last["input_method"]) == ("withdrawn", first["uuid"], "script")
    listed = world.ask("assessor", f"{world.task}/judgments?current=false&topic=1").json()
    assert listed["count"] == 4


@pytest.mark.parametrize(
    "more",
    [
        {"grade": 0},
        {"note": "no"},
        {"reason": "no"},
        {"flagged": True},
        {"answers": {"subtopics": {}}},
        {"verdict": "cannot_judge"},
    ],
)
def test_a_judgment_that_takes_back_and_states_something_too_is_refused_and_the_others_are_stored(
    world: World, more: dict[str, Any]
) -> None:
    first, other = act("a", 1), act("b", 0)
    send(world, first)
    [message] = refusals(send(world, {"uuid": str(uuid4()), "docno": "a", "undoes": first["uuid"], **more}, other))
    assert message.startswith("This takes a judgment back (`undoes`) and states another one")
    assert sorted(Judgment.objects.values_list("docno", "grade", "is_current")) == [("a", 1, True), ("b", 0, True)]


def test_a_judgment_that_takes_back_and_says_what_counts_then_is_stored_and_may_be_sent_again(world: World) -> None:
    first, second = act("a", 1), act("a", 0)
    back = {"uuid": str(uuid4()), "docno": "a", "undoes": second["uuid"], "grade": 1}
    for _ in range(2):
        assert refusals(send(world, first, second, back)) == []
    assert Judgment.objects.filter(docno="a").count() == 3
    assert Judgment.objects.get(is_current=True).grade == 1


def test_a_uuid_that_is_sent_again_gives_the_first_row_and_with_another_grade_a_refusal(world: World) -> None:
    sent = act("a", 1)
    for _ in range(2):
        assert refusals(send(world, sent)) == []
    [message] = refusals(send(world, {**sent, "grade": 0}))
    assert "stored already: a, grade 1" in message
    assert "new UUID" in message
    assert [judgment.grade for judgment in Judgment.objects.all()] == [1]


@pytest.mark.parametrize(
    ("sent", "other"),
    [
        ({"verdict": "cannot_judge", "grade": None, "reason": "broken"}, {"reason": "another language"}),
        ({"answers": {"subtopic": ["1"]}}, {"answers": {"subtopic": []}}),
    ],
    ids=["another reason", "another answer"],
)
def test_a_uuid_that_is_sent_again_with_another_reason_or_answer_is_refused(
    world: World, sent: dict[str, Any], other: dict[str, Any]
) -> None:
    Task.objects.update(judging_mode="subtopic")
    make_subtopics(own(world).topic, ["1"])
    first = act("a", **sent)
    for _ in range(2):
        assert refusals(send(world, first)) == []
    [message] = refusals(send(world, {**first, **other}))
    assert "stored already" in message
    assert Judgment.objects.count() == 1


def test_a_judgment_sent_again_when_its_grade_has_left_the_scale_is_still_the_stored_one(world: World) -> None:
    first = act("a", 1)
    send(world, first)
    world.cast.task.grades.filter(value=1).delete()
    assert refusals(send(world, first)) == []
    assert "stored already" in refusals(send(world, {**first, "note": "other"}))[0]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (act("a", 7), "7"),
        (act("elsewhere", 1), "not in the pool of topic 1"),
        (act("a", 1, note="n" * 1_000_000), "The note is too long"),
        (act("a", 1, answers={"subtopics": ["1"]}), "takes no subtopics"),
        (act("a", None), "not on the task's scale"),
    ],
    ids=["a grade off the scale", "a document outside the pool", "a note of 1 MB", "foreign answers", "no grade"],
)
def test_one_bad_judgment_is_refused_in_words_and_the_others_are_saved(
    world: World, wrong: dict[str, Any], words: str
) -> None:
    response = send(world, act("b"), wrong, act("c"))
    assert response.status_code == 200
    [message] = refusals(response)
    assert words in message
    assert set(Judgment.objects.values_list("docno", flat=True)) == {"b", "c"}


def test_a_topic_that_was_handed_over_takes_no_more_judgments(world: World) -> None:
    Assignment.objects.filter(pk=world.values["assignment"]).update(handed_over_at=timezone.now())
    assert "handed over" in refusals(send(world, act("a")))[0]


def test_who_lost_the_role_is_refused_with_the_reason(world: World) -> None:
    Role.objects.filter(user=world.cast.assessor).delete()
    response = send(world, act("a"))
    assert response.status_code in (403, 404)
    assert not Judgment.objects.exists()


def test_the_assignment_of_another_assessor_is_not_there(world: World) -> None:
    other = make_user()
    assignment = own(world)
    foreign = assign(assignment.pool, assignment.topic, other, world.cast.organiser, pass_number=2)
    assert send(world, act("a"), assignment=foreign.pk).status_code == 404
    assert not Judgment.objects.exists()


def test_assessors_read_their_own_judgments_and_organisers_those_of_all(world: World) -> None:
    other = make_user()
    assignment = own(world)
    judge(assign(assignment.pool, assignment.topic, other, world.cast.organiser, pass_number=2), "a", 0)
    judge(assignment, "a", 1)
    address = f"{world.task}/judgments"
    assert [row["grade"] for row in world.ask("assessor", address).json()["items"]] == [1]
    assert [row["assessor"] for row in world.ask("organiser", address).json()["items"]] == [
        other.username,
        world.cast.assessor.username,
    ]
    assert [row["grade"] for row in ask(address, make_token(other)).json()["items"]] == [0]


def test_a_hundred_judgments_cost_as_much_as_one_other_request_and_less_in_proportion(
    world: World, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.API_WRITES_PER_MINUTE = 2
    monkeypatch.setattr("campaign.api.limits.MINUTE", 10**7)  # none ends between two requests of this test
    address = f"{world.task}/assignments/{world.values['assignment']}/next-documents"

    def statuses(calls: list[Any]) -> list[int]:
        cache.clear()  # a minute of its own
        return [call().status_code for call in calls]

    hundred = [act("a") for _ in range(100)]
    assert statuses([lambda: send(world, *hundred)] * 3) == [200, 200, 429]
    assert statuses([lambda: send(world, act("b"))] * 21) == [200] * 20 + [429]
    mixed = [lambda: send(world, *hundred), *[lambda: world.ask("assessor", address, method="POST", data={})] * 11]
    assert statuses(mixed) == [200] * 6 + [429] * 6, "20 documents cost as much as 20 judgments"
    ten = partial(world.ask, "assessor", address, method="POST", data={"limit": 10})
    assert statuses([ten] * 21) == [200] * 20 + [429]


@pytest.mark.parametrize("written", [1, 1.0, "1", "1.0", " 1 "])
def test_a_grade_is_taken_in_every_way_in_which_it_is_a_whole_number(world: World, written: Any) -> None:
    assert refusals(send(world, act("a", written))) == []
    assert Judgment.objects.get().grade == 1


@pytest.mark.parametrize("written", [True, 1.5, "one", "", [1], "1e0"])
def test_what_is_no_whole_number_is_no_grade(world: World, written: Any) -> None:
    told = send(world, act("a", written))
    assert told.status_code == 422
    assert "A grade is a whole number such as 2" in told.json()["errors"][0]["message"]
    assert not Judgment.objects.exists()
