"""Judgments as JSON lines, for scripted assessors: read into acts, with the problems of each line."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid5

from campaign.formats.json_values import json_value
from campaign.formats.near_keys import FirstHints, missing_from
from judging.core.modes.registry import answers_in
from judging.desk.services.judgments import Act
from judging.models import Assignment, Judgment

NAMESPACE = UUID("8a1d3b0e-5b0f-5d57-9d0c-5f6f2f0d7c11")
EXPECTED = 'Write {"topic": "401", "docno": "D-1", "grade": 2}; grade null means: cannot judge.'


@dataclass(slots=True)
class Script:
    """`acts` by topic number, each with its line number; `problems` name line and remedy."""

    acts: dict[str, list[tuple[int, Act]]] = field(default_factory=dict)
    problems: list[str] = field(default_factory=list)


def read_script(lines: Iterable[tuple[int, str]], assignments: Mapping[str, Assignment]) -> Script:
    """Read acts from numbered JSON lines. Equal lines get equal UUIDs, so that a file read twice records nothing twice."""
    script, found = Script(), FirstHints()
    for number, line in lines:
        if not line.strip():
            continue
        try:
            record = json_value(line)
            topic = str(record["topic"])
            if topic not in assignments:
                near = found.hint(topic, missing_from(assignments), "This assessor")
                script.problems.append(
                    f"line {number}: topic {topic} is not assigned to this assessor. Assign it first.{near}"
                )
                continue
            act = _act(record, line.strip(), assignments[topic])
        except (ValueError, TypeError, KeyError, AttributeError) as problem:
            script.problems.append(f"line {number}: this is not a judgment ({problem!r}). {EXPECTED}")
        else:
            script.acts.setdefault(topic, []).append((number, act))
    return script


def _act(record: dict[str, Any], line: str, assignment: Assignment) -> Act:
    docno, grade = str(record["docno"]), record["grade"]
    if grade is not None and type(grade) is not int:
        raise TypeError("grade must be an integer or null")
    seconds = record.get("seconds")
    return Act(
        uuid=uuid5(NAMESPACE, f"{assignment.pk} {docno} {line}"),
        docno=docno,
        verdict=Judgment.CANNOT_JUDGE if grade is None else Judgment.GRADED,
        grade=grade,
        answers=answers_in(record),
        note=str(record.get("note", "")),
        active_ms=None if seconds is None else round(float(seconds) * 1000),
    )
