"""Each judgment says which version of topic and document it saw, and errata count the judgments of earlier ones."""

import csv

import pytest
from django.test import Client

from campaign.collection.services.document_corrections import document_correct
from campaign.collection.services.topic_corrections import topic_correct
from campaign.models import Correction, Document
from campaign.setup.services.guideline_corrections import guidelines_correct
from judging.judgments.exports import acts_csv
from judging.judgments.selectors.own_documents import documents
from judging.judgments.selectors.versions import made_with_earlier_versions
from judging.models import Assignment, Judgment
from tests.api.makers import ask, make_token
from tests.factories import Cast
from tests.judging.makers import judge, make_assignment

pytestmark = pytest.mark.django_db
WHY = {"reason": "A typo.", "note": "Typo corrected."}


def judge_as_shown(docno: str) -> None:
    assignment = Assignment.objects.get()
    [shown] = documents(assignment, [docno])
    judge(assignment, docno, 1, text_sha256=shown["sha256"])


def test_judgments_name_the_versions_that_they_saw_and_errata_count_the_earlier_ones(
    cast: Cast, client: Client
) -> None:
    assignment = make_assignment(cast, ["a", "b", "c"])
    judge_as_shown("a")
    topic_correct(actor=cast.organiser, topic=assignment.topic, fields={"title": "new"}, **WHY)
    document = Document.objects.get(docno="b")
    document_correct(actor=cast.organiser, document=document, fields={"text": "new"}, **WHY)
    judge_as_shown("b")
    guidelines_correct(actor=cast.organiser, task=cast.task, guidelines="Read.", **WHY)
    judge_as_shown("c")
    rows = csv.DictReader(acts_csv(Judgment.objects.order_by("pk"), cast.task))
    assert [(row["docno"], row["topic_version"], row["document_version"]) for row in rows] == [
        ("a", "1", "1"),
        ("b", "2", "2"),
        ("c", "2", "1"),
    ]
    errata = list(Correction.objects.all())
    assert [made_with_earlier_versions(cast.task, errata)[one.pk] for one in errata] == [1, 0, 2]
    client.force_login(cast.organiser)
    listed = client.get(cast.task.url("judgment_list")).content.decode()
    assert "saw topic version 2" in listed
    history = client.get(cast.task.url("judgment_history", topic_number="401") + "?docno=b").content.decode()
    assert "<dd>2, 2</dd>" in history
    shown = client.get(cast.task.url("errata")).content.decode()
    assert "1 judgment made with earlier versions" in shown
    assert "2 judgments made" in shown
    client.force_login(cast.member)
    assert "made with earlier versions" not in client.get(cast.task.url("errata")).content.decode()
    path = f"campaigns/{cast.campaign.slug}/tasks/{cast.task.slug}/judgments"
    sent = ask(path, make_token(cast.organiser)).json()["items"]
    assert [(item["topic_version"], item["document_version"]) for item in sent] == [(1, 1), (2, 2), (2, 1)]
