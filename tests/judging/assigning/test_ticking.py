"""Assigning by ticking topics in the columns of their assessors."""

from django.http import HttpResponse

from campaign.models import Role
from judging.assigning.services.grid import NOTHING_TICKED
from judging.models import Assignment
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import assign, client_of, judge, make_pool


def page(cast: Cast, ticks: list[tuple[object, object]] | None = None, query: str = "", **data: str) -> HttpResponse:
    client, address = client_of(cast, "organiser"), cast.task.url("assignment_grid") + query
    if ticks is None:
        return client.get(address)
    give = [f"{getattr(topic, 'pk', topic)}-{getattr(person, 'pk', person)}" for topic, person in ticks]
    return client.post(address, {"give": give, **data})


def shown(answer: HttpResponse) -> str:
    return " ".join(answer.content.decode().split())


def second_assessor(cast: Cast) -> object:
    zoe = make_user("zoe")
    Role.objects.create(campaign=cast.campaign, user=zoe, role=Role.ASSESSOR)
    return zoe


def held() -> set[tuple[str, str, int, bool]]:
    rows = Assignment.objects.select_related("topic", "assessor")
    return {(one.topic.number, one.assessor.username, one.pass_number, one.is_handed_over) for one in rows}


def test_ticked_topics_are_assigned_to_the_assessors_of_their_columns(cast: Cast) -> None:
    one, two, three = make_topics(cast.task, ["1", "2", "3"])
    zoe = second_assessor(cast)
    make_pool(cast.task, {one: ["a", "b"], two: ["a"], three: ["a"]}, cast.organiser)
    text = shown(page(cast))
    assert f'value="{one.pk}-{cast.assessor.pk}"' in text
    answer = page(cast, [(one, cast.assessor), (two, zoe)])
    assert answer.status_code == 302
    assessor = cast.assessor.username
    assert held() == {("1", assessor, 1, False), ("2", "zoe", 1, False)}
    text = shown(page(cast))
    assert "0 / 2" in text
    assert f'value="{one.pk}-{cast.assessor.pk}"' not in text, "what somebody has needs no tick"
    assert page(cast, [(two, cast.assessor)], "?pass=2").status_code == 302
    assert ("2", assessor, 2, False) in held()
    assert '<span class="muted">pass 2</span>' in shown(page(cast)), (
        "who judges it in another pass is barred from this one"
    )


def test_the_totals_with_the_ticks_are_shown_without_assigning_anything(cast: Cast) -> None:
    one, two = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {one: ["a", "b"], two: ["a"] + [f"d{n}" for n in range(239)]}, cast.organiser)
    judge(assign(pool, one, cast.assessor, cast.organiser), "a", 1)
    answer = page(cast, [(two, cast.assessor)], show="1")
    assert (answer.status_code, len(held())) == (200, 1)
    [column] = answer.context["columns"]
    assert (column.load.documents, column.documents_then, column.ticked) == (2, 242, 240)
    assert round(column.hours_then - column.hours, 6) == round(240 * column.load.seconds / 3600, 6)
    assert f'value="{two.pk}-{cast.assessor.pk}"' in shown(answer)
    assert shown(answer).count("checked>") == 1
    assert "1 / 2" in shown(answer)


def test_a_tick_hands_over_what_another_assessor_has_and_keeps_what_is_graded(cast: Cast) -> None:
    [one] = make_topics(cast.task, ["1"])
    zoe = second_assessor(cast)
    pool = make_pool(cast.task, {one: ["a", "b"]}, cast.organiser)
    judge(assign(pool, one, cast.assessor, cast.organiser), "a", 1)
    assert " checked" not in shown(page(cast))
    page(cast, [(one, zoe)])
    assert held() == {("1", cast.assessor.username, 1, True), ("1", "zoe", 1, False)}


def test_a_topic_that_is_judged_as_a_whole_cannot_be_ticked_for_another(cast: Cast) -> None:
    [one] = make_topics(cast.task, ["1"])
    second_assessor(cast)
    pool = make_pool(cast.task, {one: ["a"]}, cast.organiser)
    judge(assign(pool, one, cast.assessor, cast.organiser), "a", 1)
    assert 'name="give"' not in shown(page(cast))


def test_a_topic_ticked_twice_and_nothing_ticked_are_refused_and_nothing_is_assigned(cast: Cast) -> None:
    one, two = make_topics(cast.task, ["1", "2"])
    zoe = second_assessor(cast)
    make_pool(cast.task, {one: ["a"], two: ["a"]}, cast.organiser)
    twice = page(cast, [(one, cast.assessor), (one, zoe), (two, zoe)])
    assert twice.status_code == 422
    assert "Topic 1: ticked for several assessors" in shown(twice)
    assert shown(twice).count('aria-invalid="true" checked>') == 3
    assert shown(twice).count("checked>") == 3, "the ticks are still there"
    for nothing in ([], [("x", "y"), (10**30, 1), (one, cast.stranger)]):
        answer = page(cast, nothing)
        assert answer.status_code == 422
        assert NOTHING_TICKED in shown(answer)
        assert shown(answer).count('aria-invalid="true"') == (4 if not nothing else 0)
    assert held() == set()


def test_topics_of_parts_and_pages_without_pool_or_assessors_say_what_to_do(cast: Cast) -> None:
    assert page(cast).status_code == 200
    [one] = make_topics(cast.task, ["1"])
    second_assessor(cast)
    pool = make_pool(cast.task, {one: ["a", "b"]}, cast.organiser)
    assign(pool, one, cast.assessor, cast.organiser)
    Assignment.objects.update(parts=2)
    assert "in parts" in shown(page(cast))
    Role.objects.filter(role=Role.ASSESSOR).delete()
    assert "give" not in shown(page(cast)).partition("<main")[2].replace("given", "")
