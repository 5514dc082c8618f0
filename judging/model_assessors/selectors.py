"""Model assessors as their token, their pages and their file show them. Their grades are read here only."""

from dataclasses import dataclass

import polars as pl
from django.db.models import Count, OuterRef, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from campaign.accounts.selectors import token_hash
from campaign.models import Document, Role, Task, Topic
from judging.core.resolution import CANNOT_JUDGE
from judging.models import ModelAssessor, ModelJudgment
from pooling.selectors.pools import latest_pool
from pooling.selectors.samples import drawable_docnos
from pooling.selectors.tables import table_of

MODEL_SCHEMA = {"topic": pl.String, "docno": pl.String, "grade": pl.Int32}


MAKER_ORGANISES = Role.organises(Coalesce(OuterRef("token_by"), OuterRef("created_by")), "task__campaign")
"""Whoever made the token has seen it, and would go on reading texts with it."""


@dataclass(frozen=True, slots=True)
class DocumentForModel:
    docno: str
    title: str
    text: str
    has_text: bool


def working_model_assessor(text: str) -> ModelAssessor | None:
    """The model assessor of this token, if it may be used now; never that of a deleted task or campaign.

    Nor if whoever made it organises the campaign no more.
    """
    there = Q(task__deleted_at=None, task__campaign__deleted_at=None)
    working = ModelAssessor.objects.filter(MAKER_ORGANISES, there, revoked_at=None, token_expires_at__gt=timezone.now())
    return working.filter(token_sha256=token_hash(text)).select_related("task__campaign", "task__collection").first()


def model_assessors(task: Task) -> QuerySet[ModelAssessor]:
    """Those of a task with `graded` and `unable`: how many documents each has graded, or could not judge.

    `maker_organises`: whether whoever made its token still organises the campaign.
    """
    current = Q(judgments__is_current=True)
    graded = Count("judgments", filter=current & Q(judgments__verdict=ModelJudgment.GRADED))
    unable = Count("judgments", filter=current & Q(judgments__verdict=ModelJudgment.CANNOT_JUDGE))
    found = task.model_assessors.select_related("task__campaign", "created_by", "token_by")
    return found.annotate(graded=graded, unable=unable, maker_organises=MAKER_ORGANISES)


def model_table(assessor: ModelAssessor) -> pl.DataFrame:
    """One row (topic, docno, grade) for each current grade, -2 where it could not judge; by topic, then docno."""
    current = assessor.judgments.filter(is_current=True).order_by("topic__number", "docno")
    table = table_of(current.values_list("topic__number", "docno", "grade"), MODEL_SCHEMA)
    return table.with_columns(pl.col("grade").fill_null(CANNOT_JUDGE))


def grades_version(assessor: ModelAssessor) -> str:
    """A text that differs after every grade: grades are only added."""
    last = assessor.judgments.order_by("-pk").values_list("pk", flat=True).first()
    return f"{assessor.pk}-{last}"


def documents_for_model(assessor: ModelAssessor, topic: Topic, *, ungraded: bool) -> list[str]:
    """Documents of the topic in the newest pool, with those that it could have drawn; neither an order nor a rank is told."""
    pool = latest_pool(assessor.task)
    if pool is None:
        return []
    docnos = drawable_docnos(pool, topic.number)
    if not ungraded:
        return docnos
    graded = set(assessor.judgments.filter(topic=topic, is_current=True).values_list("docno", flat=True))
    return [docno for docno in docnos if docno not in graded]


def document_texts(task: Task, docnos: list[str]) -> list[DocumentForModel]:
    """The texts of these documents, in this order; one that is kept elsewhere has none."""
    found = Document.objects.filter(collection=task.collection_id, docno__in=docnos)
    texts = {one.docno: DocumentForModel(one.docno, one.title, one.text, one.has_text) for one in found}
    return [texts.get(docno) or DocumentForModel(docno, "", "", has_text=False) for docno in docnos]
