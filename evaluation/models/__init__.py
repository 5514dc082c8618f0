from evaluation.models.board_settings import BoardSettings
from evaluation.models.evaluation import Evaluation, PreferenceScores
from evaluation.models.leaderboard import Leaderboard, PublishedTrust, WorkingBoard, WorkingTrust

__all__ = [
    "BoardSettings",
    "Evaluation",
    "Leaderboard",
    "PreferenceScores",
    "PublishedTrust",
    "WorkingBoard",
    "WorkingTrust",
]
