"""What was on its way when the campaign was closed, archived or deleted, or the role ended, is not stored any more."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.http import Http404
from django.utils import timezone

from campaign.models import Campaign, Role, Task
from judging.desk.services.judgments import Act, judgments_record
from judging.models import Judgment, ModelJudgment, PreferenceAct
from judging.preferences.selectors import standing_of
from judging.preferences.services import Answered, preferences_record
from tests.evaluation.makers import make_qrels
from tests.factories import Cast
from tests.judging.makers import make_assignment, make_model_assessor, model_grades
from tests.judging.preferences.makers import make_comparison

END: dict[str, Callable[[], object]] = {
    "is closed": lambda: Campaign.objects.update(closed_at=timezone.now()),
    "is archived": lambda: Campaign.objects.update(closed_at=timezone.now(), archived_at=timezone.now()),
    "are no assessor": lambda: Role.objects.filter(role=Role.ASSESSOR).delete(),
}


@pytest.mark.parametrize("said", END)
def test_judgments_on_their_way_are_refused(cast: Cast, said: str) -> None:
    on_its_way = make_assignment(cast, ["a", "b"])
    assert not on_its_way.pool.task.campaign.why_closed
    END[said]()
    [outcome] = judgments_record(assessor=on_its_way.assessor, assignment=on_its_way, acts=[Act(uuid4(), "a", grade=1)])
    assert said in str(outcome.refusal)
    assert not Judgment.objects.exists()


@pytest.mark.parametrize("said", END)
def test_preferences_on_their_way_are_refused(cast: Cast, said: str) -> None:
    pooled = make_assignment(cast, ["a", "b"])
    qrels = make_qrels(cast.task, {pooled.topic.number: {"a": 3, "b": 3}}, cast.organiser)
    on_its_way = make_comparison(cast, pooled.topic, ["a", "b"], qrels=qrels)
    assert not on_its_way.qrels.task.campaign.why_closed
    END[said]()
    sent = [Answered(uuid4(), left="a", right="b", answer="left")]
    [outcome] = preferences_record(assessor=on_its_way.assessor, assignment=on_its_way, sent=sent)
    assert said in str(outcome.refusal)
    assert not PreferenceAct.objects.exists()


@pytest.mark.parametrize("said", ["is closed", "is archived"])
def test_model_grades_on_their_way_are_refused(cast: Cast, said: str) -> None:
    make_assignment(cast, ["a", "b"])
    on_its_way, _ = make_model_assessor(cast.task, cast.organiser)
    END[said]()
    [outcome] = model_grades(on_its_way, "401", {"a": 1})
    assert said in outcome.refusal
    assert not ModelJudgment.objects.exists()


def test_judgments_of_a_campaign_that_was_deleted_meanwhile_find_none(cast: Cast) -> None:
    on_its_way = make_assignment(cast, ["a", "b"])
    Campaign.objects.update(deleted_at=timezone.now())
    with pytest.raises(Http404):
        judgments_record(assessor=on_its_way.assessor, assignment=on_its_way, acts=[Act(uuid4(), "a", grade=1)])
    assert not Judgment.objects.exists()


def test_judgments_and_preferences_of_a_task_that_was_deleted_meanwhile_are_refused(cast: Cast) -> None:
    judged = make_assignment(cast, ["a", "b"])
    qrels = make_qrels(cast.task, {judged.topic.number: {"a": 3, "b": 3}}, cast.organiser)
    compared = make_comparison(cast, judged.topic, ["a", "b"], qrels=qrels)
    Task.objects.update(deleted_at=timezone.now())
    [judgment] = judgments_record(assessor=judged.assessor, assignment=judged, acts=[Act(uuid4(), "a", grade=1)])
    [(left, right), *_] = standing_of(compared).state.open
    sent = [Answered(uuid4(), left=left, right=right, answer="left")]
    [answer] = preferences_record(assessor=compared.assessor, assignment=compared, sent=sent)
    for outcome in (judgment, answer):
        assert "The task was deleted meanwhile: nothing was stored." in str(outcome.refusal)
    assert not Judgment.objects.exists()
    assert not PreferenceAct.objects.exists()


def test_model_grades_of_a_task_that_was_deleted_meanwhile_are_refused(cast: Cast) -> None:
    make_assignment(cast, ["a", "b"])
    on_its_way, _ = make_model_assessor(cast.task, cast.organiser)
    Task.objects.update(deleted_at=timezone.now())
    [outcome] = model_grades(on_its_way, "401", {"a": 1})
    assert "deleted meanwhile: nothing was stored" in outcome.refusal
    assert not ModelJudgment.objects.exists()
