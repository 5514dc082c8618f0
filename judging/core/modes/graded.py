"""PURE: one grade for each document, on a scale that the organiser chooses."""

from campaign.modes import Mode
from judging.core.modes import grades
from judging.core.modes.declaration import JudgingMode

MODE = JudgingMode(
    mode=Mode(
        name="graded",
        label="graded",
        scale=grades.FOUR_GRADES,
        measures=grades.MEASURES,
        lowest_relevant_grade=grades.LOWEST_RELEVANT,
    ),
    check=grades.check,
    desk=grades.desk,
    qrels=grades.qrels,
    files=(grades.QRELS,),
)
