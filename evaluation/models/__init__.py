from evaluation.models.evaluation import Evaluation
from evaluation.models.leaderboard import Leaderboard

__all__ = ["Evaluation", "Leaderboard"]
