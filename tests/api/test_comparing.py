"""Preferences by program: the pairs of the desk, in its order, with its refusals."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from campaign.models import Role, Task
from judging.models import Judgment, PreferenceAct, PreferenceAssignment
from judging.preferences.desk_page import desk_page
from judging.preferences.selectors import standing_of
from tests.api.makers import World, score
from tests.judging.preferences.makers import make_comparison


@pytest.fixture
def pairs(world: World) -> PreferenceAssignment:
    score(world)
    return make_comparison(world.cast, world.cast.task.topics.get(number="1"), ["a", "b", "c"], control_percent=50)


def post(world: World, pairs: PreferenceAssignment, step: str, data: Any = None, role: str = "assessor") -> Any:
    return world.ask(role, f"{world.task}/comparisons/{pairs.pk}/{step}", method="POST", data=data)


def answer(world: World, pairs: PreferenceAssignment, **values: Any) -> Any:
    return post(world, pairs, "preferences", {"preferences": [{"uuid": str(uuid4()), **values}]})


def test_a_program_compares_a_topic_to_the_end_as_the_desk_shows_it(world: World, pairs: PreferenceAssignment) -> None:
    listed = world.ask("assessor", f"{world.task}/comparisons").json()["items"]
    assert [(one["id"], one["topic"], one["documents"], one["answers"]) for one in listed] == [(pairs.pk, "1", 3, 0)]
    while (given := post(world, pairs, "next-pair").json())["left"] is not None:
        left, right = given["left"]["docno"], given["right"]["docno"]
        assert desk_page(pairs)["pair"] == (left, right)
        assert set(given["left"]) == {"docno", "title", "text", "has_text", "link"}, "nothing of what others said"
        saved = answer(world, pairs, left=left, right=right, answer="left" if left < right else "right").json()
        assert (saved["results"][0]["state"], saved["answers"]) == ("saved", given["answers"] + 1)
    pairs.refresh_from_db()
    assert pairs.finished_at is not None
    assert standing_of(pairs).state.levels == (("a",), ("b",), ("c",))
    assert {act.input_method for act in PreferenceAct.objects.all()} == {Judgment.SCRIPT}


def test_an_answer_is_stored_once_and_taken_back_by_its_uuid_or_as_the_last(
    world: World, pairs: PreferenceAssignment
) -> None:
    left, right = standing_of(pairs).state.open[0]
    sent = {"uuid": str(uuid4()), "left": left, "right": right, "answer": "equal"}
    for _ in range(2):
        assert answer(world, pairs, **sent).json()["answers"] == 1
    undone = post(world, pairs, "undo").json()
    assert (undone["left"], undone["right"], undone["answer"]) == (left, right, "withdrawn")
    assert PreferenceAct.objects.get(uuid=UUID(undone["uuid"])).undoes == UUID(sent["uuid"])
    again = {**sent, "uuid": str(uuid4())}
    answer(world, pairs, **again)
    assert answer(world, pairs, undoes=again["uuid"]).json()["answers"] == 0
    assert post(world, pairs, "undo").status_code == 422


def test_what_is_no_answer_to_a_pair_is_refused_and_holds_up_none_of_the_others(
    world: World, pairs: PreferenceAssignment
) -> None:
    left, right = standing_of(pairs).state.open[0]
    good = {"uuid": str(uuid4()), "left": left, "right": right, "answer": "left"}
    wrong = [
        {"right": "z"},
        {"left": right, "right": left},
        {"answer": ""},
        {"left": "", "right": "", "undoes": str(uuid4())},
        {"undoes": good["uuid"]},
    ]
    sent = [{**good, "uuid": str(uuid4()), **one} for one in wrong]
    results = post(world, pairs, "preferences", {"preferences": [good, *sent]}).json()["results"]
    assert [one["state"] for one in results] == ["saved"] + ["refused"] * 5
    assert all(one["message"] for one in results[1:])
    assert answer(world, pairs, **{**good, "answer": "both"}).status_code == 422


def test_who_is_no_assessor_any_more_or_whose_campaign_is_closed_compares_nothing(
    world: World, pairs: PreferenceAssignment
) -> None:
    left, right = standing_of(pairs).state.open[0]
    Role.objects.filter(user=world.cast.assessor).delete()
    for step in ("next-pair", "undo"):
        told = post(world, pairs, step)
        assert (told.status_code, "no assessor" in told.json()["detail"]) == (403, True)
    assert answer(world, pairs, left=left, right=right, answer="left").status_code == 403
    assert world.ask("assessor", f"{world.task}/comparisons").status_code == 200, "what they compared is still listed"
    Task.objects.update(deleted_at=pairs.assigned_at)
    assert post(world, pairs, "next-pair").status_code == 404
    assert not PreferenceAct.objects.exists()
