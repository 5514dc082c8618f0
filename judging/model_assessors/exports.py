"""The grades of a model assessor as a file."""

import polars as pl
from django.utils.text import slugify

from campaign.formats.qrels.layouts import NO_SUBTOPIC
from campaign.formats.qrels.table import write_qrels
from judging.model_assessors.selectors import model_table
from judging.models import ModelAssessor


def model_grades_file(assessor: ModelAssessor) -> str:
    """Lines as of qrels below comments that say that they are none. By topic and docno; -2: it could not judge."""
    task = assessor.task
    head = [
        f"Model grades of {assessor}: no judgments of people, and no version of the qrels",
        f"campaign {task.campaign.slug}, task {task.slug}, SHA-256 of the prompt {assessor.prompt_sha256}",
        "topic 0 docno grade; -2: it could not judge",
    ]
    lines = [f"# {' '.join(line.split())}\n" for line in head]
    return "".join(lines) + write_qrels(model_table(assessor).with_columns(subtopic=pl.lit(NO_SUBTOPIC))).decode()


def model_grades_name(assessor: ModelAssessor) -> str:
    """As in `velo-everyday-cycling-model-grades-of-bm25-v1.txt`: nothing of the names but letters, digits and hyphens."""
    of = slugify(f"{assessor.name}-v{assessor.version}") or str(assessor.pk)
    return f"{assessor.task.campaign.slug}-{assessor.task.slug}-model-grades-of-{of}.txt"
