"""A judging mode that the product does not have: the grades 0, 50 and 100, and how sure the assessor is, from 1 to 3.

Grades that their assessor was not sure of (1) are not released: the document counts as one that could not be judged.
"""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from campaign import modes
from campaign.modes import Mode
from judging.core.modes import grades, registry
from judging.core.modes.declaration import (
    Acts,
    Answers,
    CheckedAct,
    DeskParts,
    Details,
    JudgedTopic,
    JudgingMode,
    QrelsTables,
    RefusedActError,
    Shortcut,
)

SURENESS = {"1": "a guess", "2": "likely", "3": "certain"}
TEMPLATES = Path(__file__).parent / "templates"


def check(grade: int | None, answers: Answers, topic: JudgedTopic) -> CheckedAct:
    sent = answers.get("sureness")
    chosen = str(sent[0]) if isinstance(sent, list) and sent else str(sent)
    if chosen not in SURENESS:
        raise RefusedActError("Say how sure you are: 1, 2 or 3.")
    return CheckedAct(grades.checked_grade(grade, topic), {"sureness": int(chosen)})


def values(details: Details) -> dict[str, list[str]]:
    return {"sureness": [str(details["sureness"])]} if details else {}


def desk(topic: JudgedTopic, details: Details) -> DeskParts:
    usual = grades.desk(topic, details)
    chosen = values(details).get("sureness", [])
    rows = [{"value": value, "label": label, "chosen": value in chosen} for value, label in SURENESS.items()]
    return DeskParts(
        form_parts=("sureness/_choice.html", *usual.form_parts),
        topic_parts=usual.topic_parts,
        context={**usual.context, "sureness": rows},
        shortcuts=(*usual.shortcuts, Shortcut("c", "certain")),
    )


def qrels(acts: Acts, policy: str) -> QrelsTables:
    is_guess = pl.Series([details.get("sureness") == 1 for details in acts.details], dtype=pl.Boolean)
    grade = pl.when(is_guess).then(None).otherwise(pl.col("grade"))
    return grades.qrels(Acts(acts.table.with_columns(grade=grade), acts.details), policy)


MODE = JudgingMode(
    mode=Mode(
        name="sureness",
        label="graded, with sureness",
        scale=(
            {"value": 0, "label": "no", "key": "0"},
            {"value": 50, "label": "half", "key": "5"},
            {"value": 100, "label": "whole", "key": "9"},
        ),
        measures=("AP", "nDCG@3"),
        scale_problem=lambda values: "" if max(values, default=0) == 100 else "The scale must end at 100.",
    ),
    check=check,
    desk=desk,
    qrels=qrels,
    files=(grades.QRELS,),
    answers=frozenset({"sureness"}),
    values=values,
)


def register(monkeypatch: pytest.MonkeyPatch, settings: Any) -> None:
    """What a module of judging/core/modes/, its line in the registry and its templates do, until the test ends."""
    monkeypatch.setitem(registry.MODES, MODE.name, MODE)
    monkeypatch.setitem(modes.MODES, MODE.name, MODE.mode)
    [engine] = settings.TEMPLATES
    settings.TEMPLATES = [{**engine, "DIRS": [*engine["DIRS"], TEMPLATES]}]
