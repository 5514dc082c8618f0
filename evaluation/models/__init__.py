from evaluation.models.evaluation import Evaluation
from evaluation.models.leaderboard import Leaderboard
from evaluation.models.preference_scores import PreferenceScores

__all__ = ["Evaluation", "Leaderboard", "PreferenceScores"]
