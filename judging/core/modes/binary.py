"""PURE: relevant or not."""

from collections.abc import Sequence

from campaign.modes import Mode, grade_0_and_another
from judging.core.modes import grades
from judging.core.modes.declaration import JudgingMode


def _scale_problem(values: Sequence[int]) -> str:
    is_binary = sorted(values) == [0, 1]
    return grade_0_and_another(values) or ("" if is_binary else "Binary judging has exactly the grades 0 and 1.")


MODE = JudgingMode(
    mode=Mode(
        name="binary",
        label="binary",
        scale=({"value": 0, "label": "not relevant"}, {"value": 1, "label": "relevant"}),
        measures=grades.MEASURES,
        scale_problem=_scale_problem,
    ),
    check=grades.check,
    desk=grades.desk,
    qrels=grades.qrels,
    files=(grades.QRELS,),
)
