from datetime import date
from typing import Any

import pytest
from django.core.cache import cache
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from campaign.models import AuditEvent, Mail, Role, User
from campaign.models.mail import ASSIGNMENT
from campaign.web import daily_limits
from campaign.web.daily_limits import left_of_person, require_left
from judging.assigning.selectors.workload import assessor_roles
from judging.assigning.services import assignments
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.assigning.services.grid import ticked_assign
from judging.assigning.services.self_assignment import languages_set
from judging.models import Assignment
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import distribute, judge, make_assignment, make_pool

pytestmark = pytest.mark.django_db


def test_assigning_twice_leaves_the_first_assignment_as_it_is(cast: Cast) -> None:
    topics = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    values = {"actor": cast.organiser, "pool": pool, "assessor": cast.assessor}
    assert len(assignments_create(topics=topics[:1], **values)) == 1
    assert [one.topic for one in assignments_create(topics=topics, **values)] == topics[1:]
    assert AuditEvent.objects.filter(verb="assigned").count() == 2


def test_an_assessor_gets_one_mail_about_all_topics_of_a_plan(cast: Cast) -> None:
    topics = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    distribute(actor=cast.organiser, pool=pool, assessors=[cast.assessor])
    assignments_create(actor=cast.organiser, pool=pool, assessor=cast.assessor, topics=topics)
    [mail] = Mail.objects.filter(kind=ASSIGNMENT)
    assert (mail.recipient, mail.subject) == (cast.assessor, f"2 topics assigned to you: {cast.task}")
    assert "\n1, 2\n" in mail.body


def test_who_is_no_assessor_gets_no_topic(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["1"])
    pool = make_pool(cast.task, {topic: ["D1"]}, cast.organiser)
    with pytest.raises(ValidationError, match=r"not an assessor .* people page"):
        assignments_create(actor=cast.organiser, pool=pool, topics=[topic], assessor=cast.member)


def test_a_topic_without_pooled_documents_cannot_be_assigned(cast: Cast) -> None:
    topics = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {topics[0]: ["D1"]}, cast.organiser)
    with pytest.raises(ValidationError, match="no documents for topic 2"):
        assignments_create(actor=cast.organiser, pool=pool, topics=topics, assessor=cast.assessor)
    assert not Assignment.objects.exists()


def test_an_untouched_assignment_can_be_taken_back_and_one_with_judgments_cannot(cast: Cast) -> None:
    assignment = make_assignment(cast, ["D1", "D2"])
    judge(assignment, "D1", 1)
    with pytest.raises(ValidationError, match=r"judgments are kept\. To hand over the rest"):
        assignment_remove(actor=cast.organiser, assignment=assignment)
    other = cast.task.topics.create(number="402", position=2, title="another")
    pool = make_pool(cast.task, {other: ["D1"]}, cast.organiser, version=2)
    [untouched] = assignments_create(actor=cast.organiser, pool=pool, topics=[other], assessor=cast.assessor)
    assignment_remove(actor=cast.organiser, assignment=untouched)
    assert Assignment.objects.get() == assignment
    assert AuditEvent.objects.filter(verb="unassigned").count() == 1


def test_topics_are_dealt_out_evenly_by_documents_and_nobody_gets_a_topic_twice(cast: Cast) -> None:
    second = make_user()
    Role.objects.create(campaign=cast.campaign, user=second, role=Role.ASSESSOR)
    topics = make_topics(cast.task, ["1", "2", "3", "4"])
    sizes = {"1": 40, "2": 10, "3": 10, "4": 20}
    pool = make_pool(
        cast.task, {topic: [f"D{n}" for n in range(sizes[topic.number])] for topic in topics}, cast.organiser
    )
    both = [cast.assessor, second]
    created = distribute(actor=cast.organiser, pool=pool, assessors=both)
    loads = {user: sum(sizes[one.topic.number] for one in created if one.assessor == user) for user in both}
    assert loads == {cast.assessor: 40, second: 40}
    with pytest.raises(ValidationError, match="Nothing can be assigned by this plan"):
        distribute(actor=cast.organiser, pool=pool, assessors=both)


def counted(actor: User) -> int:
    return -left_of_person(actor, assignments.CHANGES, 0)


def asked_of_the_cache(act: Any) -> int:
    with CaptureQueriesContext(connection) as asked:
        act()
    return sum("cache_entries" in query["sql"] for query in asked.captured_queries)


def test_a_plan_is_counted_once_however_many_topics_it_has(cast: Cast) -> None:
    cache.clear()
    topics = make_topics(cast.task, [str(number) for number in range(8)])
    asked = []
    for version, some in enumerate((topics[:1], topics[:2], topics), start=1):
        pool = make_pool(cast.task, {topic: ["D1"] for topic in some}, cast.organiser, version=version)
        values = {"actor": cast.organiser, "pool": pool, "assessors": [cast.assessor]}
        asked.append(asked_of_the_cache(lambda values=values: distribute(**values)))
    assert counted(cast.organiser) == 1 + 2 + 8
    assert asked[1] == asked[2] > 0


def test_a_plan_above_the_limit_is_refused_before_anything_is_written_and_uses_up_nothing(
    cast: Cast, monkeypatch: pytest.MonkeyPatch
) -> None:
    cache.clear()
    monkeypatch.setattr(assignments, "MOST_CHANGED_A_DAY", 3)
    topics = make_topics(cast.task, ["1", "2", "3", "4"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    one: dict[str, Any] = {"actor": cast.organiser, "pool": pool, "assessor": cast.assessor}
    said = (
        r"^\['This alone passes your limit of 3 changes of assignments within a day\. Divide it over several days\.'\]$"
    )
    with CaptureQueriesContext(connection) as asked:
        with pytest.raises(ValidationError, match=said):
            distribute(actor=cast.organiser, pool=pool, assessors=[cast.assessor])
        with pytest.raises(ValidationError, match=said):
            assignments_create(topics=topics, **one)
    assert not [query["sql"] for query in asked.captured_queries if query["sql"].startswith(("INSERT", "UPDATE"))]
    assert counted(cast.organiser) == 0
    assignments_create(topics=topics[:3], **one)
    assert counted(cast.organiser) == 3
    assert assignments_create(topics=topics[:3], **one) == [], "nothing is changed"
    with pytest.raises(ValidationError, match=r"reached your limit of 3 changes of assignments.*Go on tomorrow\."):
        assignments_create(topics=topics[3:], **one)


def test_a_limit_of_a_day_says_whether_tomorrow_helps_and_has_its_thousands_separated() -> None:
    for number, says in ((50_001, "This alone passes"), (50_000, "You have reached")):
        with pytest.raises(ValidationError, match=f"{says} your limit of 50,000 things within a day"):
            require_left(number, 49_000, "things", 50_000)


def test_what_is_handed_over_and_dates_that_change_count_as_well(cast: Cast) -> None:
    cache.clear()
    second = make_user()
    Role.objects.create(campaign=cast.campaign, user=second, role=Role.ASSESSOR)
    topics = make_topics(cast.task, ["1", "2"])
    pool = make_pool(cast.task, {topic: ["D1"] for topic in topics}, cast.organiser)
    first: dict[str, Any] = {"actor": cast.organiser, "pool": pool, "assessor": cast.assessor, "topics": topics}
    assignments_create(**first)
    ticked = [(topic, second) for topic in topics]
    ticked_assign(actor=cast.organiser, pool=pool, ticked=ticked, pass_number=1)
    assert counted(cast.organiser) == 2 + 2 + 2
    for _ in range(2):
        assignments_create(**{**first, "assessor": second}, due_on=date(2030, 1, 1))
    assert (
        counted(cast.organiser)
        == 6 + 2
        == AuditEvent.objects.filter(verb__in=["assigned", "handed over", "changed due date"]).count()
    )


def test_languages_of_several_assessors_are_counted_at_once(cast: Cast, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.clear()
    monkeypatch.setattr(daily_limits, "MOST_CHANGES_A_DAY", 4)
    for _ in range(4):
        Role.objects.create(campaign=cast.campaign, user=make_user(), role=Role.ASSESSOR)
    roles = list(assessor_roles(cast.task))

    def read(languages: str, number: int) -> None:
        chosen = {role.pk: languages for role in roles[:number]}
        languages_set(actor=cast.organiser, task=cast.task, languages=chosen)

    with pytest.raises(ValidationError, match="your limit of 4 changes within a day"):
        read("fi", 5)
    assert not Role.objects.filter(languages="fi").exists()
    read("fi", 1)
    assert asked_of_the_cache(lambda: read("de", 1)) == asked_of_the_cache(lambda: read("sv", 2)) > 0
    with pytest.raises(ValidationError, match="your limit of 4 changes within a day"):
        read("en", 1)
