"""The same answers sent by several tabs at once. Needs a database with several writers: PostgreSQL."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest
from django.db import connection

from judging.models import PreferenceAct, PreferenceAssignment
from judging.preferences.selectors import standing_of
from judging.preferences.services import Answered, preferences_record
from judging.preferences.tournament import Pair
from tests.evaluation.makers import make_qrels
from tests.factories import Cast, make_cast, make_topics
from tests.judging.preferences.makers import by_docno, make_comparison
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]

DOCNOS = [f"D{number}" for number in range(8)]


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def test_tabs_that_send_the_same_answers_at_once_record_them_once(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["401"])
    make_qrels(cast.task, {"401": dict.fromkeys(DOCNOS, 1)}, cast.organiser)
    assignment = make_comparison(cast, topic, DOCNOS)
    sent, answers = [], dict[Pair, str]()
    tournament = standing_of(assignment).tournament
    while open_pairs := tournament.state(answers).open:
        left, right = open_pairs[0]
        answers[left, right] = by_docno(left, right)
        sent.append(Answered(uuid4(), left, right, answers[left, right]))

    def tab(_: int) -> int:
        try:
            own = PreferenceAssignment.objects.select_related("qrels__task", "topic", "assessor").get(pk=assignment.pk)
            outcomes = [
                outcome
                for begin in range(0, len(sent), 3)
                for outcome in preferences_record(assessor=own.assessor, assignment=own, sent=sent[begin : begin + 3])
            ]
            return sum(outcome.refusal is not None for outcome in outcomes)
        finally:
            connection.close()

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(tab, range(4))) == [0] * 4
    assert Counter(PreferenceAct.objects.values_list("uuid", flat=True)) == Counter(one.uuid for one in sent)
    assignment.refresh_from_db()
    assert assignment.finished_at is not None
    assert standing_of(assignment).answers == answers
