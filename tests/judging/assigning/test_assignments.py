import pytest
from django.core.exceptions import ValidationError

from campaign.models import AuditEvent, Mail, Role
from campaign.models.mail import ASSIGNMENT
from judging.assigning.services.assignments import assignment_remove, assignments_create
from judging.assigning.services.planning import assignments_distribute
from judging.models import Assignment
from tests.factories import Cast, make_topics, make_user
from tests.judging.makers import judge, make_assignment, make_pool

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
    assignments_distribute(actor=cast.organiser, pool=pool, assessors=[cast.assessor])
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
    created = assignments_distribute(actor=cast.organiser, pool=pool, assessors=both)
    loads = {user: sum(sizes[one.topic.number] for one in created if one.assessor == user) for user in both}
    assert loads == {cast.assessor: 40, second: 40}
    assert assignments_distribute(actor=cast.organiser, pool=pool, assessors=both) == []
