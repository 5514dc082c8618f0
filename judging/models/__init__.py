from judging.models.adjudication import Adjudication
from judging.models.assignment import AssigningRules, Assignment, Claim
from judging.models.judgment import Judgment
from judging.models.model_assessor import ModelAssessor, ModelJudgment
from judging.models.practice import PracticeAnswer, PracticeGrade
from judging.models.preference import PreferenceAct, PreferenceAssignment, PreferenceOrder
from judging.models.qrels import Qrels

__all__ = [
    "Adjudication",
    "AssigningRules",
    "Assignment",
    "Claim",
    "Judgment",
    "ModelAssessor",
    "ModelJudgment",
    "PracticeAnswer",
    "PracticeGrade",
    "PreferenceAct",
    "PreferenceAssignment",
    "PreferenceOrder",
    "Qrels",
]
