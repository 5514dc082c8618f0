"""What may stand in the file of a campaign: the same entries as are stored."""

from collections.abc import Iterator
from typing import Any

import pydantic
from pydantic import BaseModel, ConfigDict, Field, StrictBool

from campaign.api.fields import Moment

MOST_ENTRIES, MOST_PEOPLE = 200, 1_000
"""Of a list: more are no campaign, and each costs the database something before it is refused."""


class Table(BaseModel):
    """Base of all tables: only declared entries; missing ones stay unset, so that services use defaults. Numbers may be texts."""

    model_config = ConfigDict(extra="forbid", coerce_numbers_to_str=True)


class AgreementTable(Table):
    title: str
    text: str


class GradeTable(Table):
    value: int
    label: str
    key: str = ""
    gain: float = 0
    definition: str = ""


class TaskTable(Table):
    slug: str
    title: str
    guidelines: str = ""
    judging_mode: str = ""
    measures: list[str] | None = None  # any number: their characters are limited, as on the page of the task
    lowest_relevant_grade: int | None = None
    max_runs_per_team: int = 0
    max_documents_per_topic: int = 0
    run_order: str = ""
    reference: str = ""
    docno_policy: str = ""
    docno_pattern: str = ""
    documents_shown_as: str = ""
    document_link: str = ""
    texts_for: str = ""
    assessors_add_documents: StrictBool = True
    contradictions: str = ""
    subtopics_after_grade: StrictBool = False
    passage_first: StrictBool = False
    cannot_judge_reasons: str = ""
    rule_severities: dict[str, Any] = {}
    questions: list[dict[str, Any]] = Field([], max_length=MOST_ENTRIES)
    tag_pattern: str = ""
    round_kind: str = ""
    scores_shown: str = ""
    takes_runs_after_pool: StrictBool = False
    opens_at: Moment | None = None
    closes_at: Moment | None = None
    grades: list[GradeTable] | None = Field(None, max_length=MOST_ENTRIES)


class CampaignTable(Table):
    slug: str
    title: str
    summary: str = ""
    call: str = ""
    time_zone: str = ""
    registration: str = ""
    contact: str = ""
    website: str = ""
    open: StrictBool = False
    organisers: list[str] = Field([], max_length=MOST_PEOPLE)
    assessors: list[str] = Field([], max_length=MOST_PEOPLE)
    agreements: list[AgreementTable] = Field([], max_length=MOST_ENTRIES)
    tasks: list[TaskTable] = Field([], max_length=MOST_ENTRIES)


TABLES: dict[str, type[Table]] = {"agreements": AgreementTable, "tasks": TaskTable, "grades": GradeTable}


def table_problems(problem: pydantic.ValidationError) -> Iterator[str]:
    """Yield one sentence for each wrong entry, with its place: tasks 1 grades 2 label is missing."""
    for error in problem.errors():
        names = [part for part in error["loc"] if isinstance(part, str)]
        place = ", ".join(f"{part + 1}" if isinstance(part, int) else part for part in error["loc"]).replace(", ", " ")
        table: type[Table] = next((TABLES[name] for name in reversed(names[:-1]) if name in TABLES), CampaignTable)
        yield {
            "too_long": f"{place} has more than {error.get('ctx', {}).get('max_length', MOST_ENTRIES):,} entries.",
            "missing": f"{place} is missing.",
            "extra_forbidden": f"{place} is unknown. Use one of: {', '.join(sorted(table.model_fields))}.",
        }.get(error["type"], f"{place}: {error['msg']}.")
