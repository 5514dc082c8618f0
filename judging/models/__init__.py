from judging.models.assignment import Assignment
from judging.models.claim import Claim
from judging.models.judgment import Judgment
from judging.models.qrels import Qrels

__all__ = ["Assignment", "Claim", "Judgment", "Qrels"]
