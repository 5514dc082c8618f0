"""Several organisers who correct one text, or several, at the same moment. Needs several writers: PostgreSQL."""

from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection

from campaign.collection.selectors.versions import text_version, topic_version
from campaign.collection.services.corrections import ChangedMeanwhileError
from campaign.collection.services.document_corrections import document_correct
from campaign.collection.services.topic_corrections import topic_correct
from campaign.models import Correction, Document
from tests.campaign.concurrency import AT_ONCE, at_once
from tests.factories import Cast, make_cast, make_collection, make_topics
from tests.requirements import require_postgresql

pytestmark = [pytest.mark.services, pytest.mark.django_db(transaction=True)]
WHY = {"reason": "A typo.", "note": "Typo corrected."}


@pytest.fixture
def cast(transactional_db: None) -> Cast:
    require_postgresql(connection.vendor)
    return make_cast()


def telling(correct: Any, **values: Any) -> None:
    try:
        correct(**values, **WHY)
    except ChangedMeanwhileError as problem:
        raise ValidationError("changed meanwhile") from problem


def test_of_editors_of_one_text_at_once_one_saves_and_the_others_are_told(cast: Cast) -> None:
    [topic] = make_topics(cast.task, ["401"])
    seen = topic_version(topic)
    told = at_once(
        lambda number: telling(
            topic_correct, actor=cast.organiser, topic=topic, fields={"title": f"title {number}"}, seen_sha256=seen
        )
    )
    assert sorted(told) == [""] + ["changed meanwhile"] * (AT_ONCE - 1)
    assert Correction.objects.get().version == 2


def test_corrections_of_topics_and_documents_at_once_are_numbered_without_a_gap(cast: Cast) -> None:
    topics = make_topics(cast.task, [str(number) for number in range(AT_ONCE)])
    make_collection(cast.task, ["a"])
    document = Document.objects.get()
    seen = text_version(document.title, document.text)

    def correct(number: int) -> None:
        if number % 2:
            telling(topic_correct, actor=cast.organiser, topic=topics[number], fields={"title": "new"})
        else:
            fields = {"text": f"text {number}"}
            telling(document_correct, actor=cast.organiser, document=document, fields=fields, seen_sha256=seen)

    told = at_once(correct)
    assert told.count("changed meanwhile") == AT_ONCE // 2 - 1
    assert [one.number for one in Correction.objects.order_by("number")] == list(range(1, AT_ONCE // 2 + 2))
