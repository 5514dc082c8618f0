from evaluation.models.board_settings import BoardSettings
from evaluation.models.evaluation import Evaluation
from evaluation.models.leaderboard import Leaderboard
from evaluation.models.preference_scores import PreferenceScores
from evaluation.models.trust import PublishedTrust, WorkingTrust
from evaluation.models.working_board import WorkingBoard

__all__ = [
    "BoardSettings",
    "Evaluation",
    "Leaderboard",
    "PreferenceScores",
    "PublishedTrust",
    "WorkingBoard",
    "WorkingTrust",
]
