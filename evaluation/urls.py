from django.urls import path

from evaluation.analysis.addresses import below_boards, preview
from evaluation.analysis.assumptions import views as assumptions
from evaluation.analysis.compare import views as two_runs
from evaluation.analysis.components import views as components
from evaluation.analysis.curves import views as curves
from evaluation.analysis.efficiency import views as efficiency
from evaluation.analysis.heatmap import views as heatmap
from evaluation.analysis.measure_correlation import views as measures
from evaluation.analysis.pairwise_tests import views as pairs
from evaluation.analysis.reliability import views as reliability
from evaluation.analysis.run import views as one_run
from evaluation.analysis.snapshots import views as snapshots
from evaluation.analysis.topics import views as topics
from evaluation.preferences import views as preferences
from evaluation.views import (
    feedback,
    leaderboards,
    live,
    publishing,
    removed,
    scores,
)

urlpatterns = [
    path("scores/", scores.score_board, name="score_board"),
    path("scores/score/", scores.score_all, name="score_all"),
    path("scores/tests/", scores.board_settings, name="board_settings"),
    path("scores/card/", scores.scores_card, name="scores_card"),
    path("scores/board.csv", scores.score_board_csv, name="score_board_csv"),
    path("scores/models/<int:key>/", scores.model_page, name="model_scores"),
    path("scores/unjudged/", scores.runs_unjudged, name="runs_unjudged"),
    path("scores/effects/<int:version>/", scores.qrels_effect, name="qrels_effect"),
    path("scores/<str:measure>.svg", scores.scores_picture, name="scores_picture"),
    path("runs/<str:tag>/scores/", scores.run_scores, name="run_scores"),
    path("runs/<str:tag>/scores.<str:file_format>", scores.run_scores_file, name="run_scores_file"),
    path("runs/<str:tag>/ranked/", feedback.run_ranked, name="run_ranked"),
    path("feedback/", feedback.feedback_topics, name="feedback_topics"),
    path("scores/removed-topics/", removed.with_removed, name="with_removed"),
    path("scores/removed-topics.csv", removed.with_removed_csv, name="with_removed_csv"),
    path("leaderboard/live/", live.live_board, name="live_board"),
    path("leaderboard/live/board.csv", live.live_csv, name="live_csv"),
    path("leaderboard/live/board.json", live.live_as_json, name="live_json"),
    path("leaderboard/live/<str:measure>.svg", live.live_picture, name="live_picture"),
    path("preferences/orders/<int:version>/scores/", preferences.preference_scores, name="preference_scores"),
    path("preferences/orders/<int:version>/score/", preferences.preference_score, name="preference_score"),
    path(
        "preferences/orders/<int:version>/scores.csv",
        preferences.preference_scores_download,
        name="preference_scores_csv",
    ),
    path("leaderboard/", leaderboards.leaderboard_latest, name="leaderboard_latest"),
    path("leaderboard/publish/", publishing.leaderboard_publish, name="leaderboard_publish"),
    preview("", publishing.preview_detail, "detail"),
    preview("board.csv", publishing.preview_csv, "csv"),
    preview("board.json", publishing.preview_json, "json"),
    preview("<str:measure>.svg", publishing.preview_picture, "picture"),
    path("leaderboard/<int:number>/", leaderboards.leaderboard_detail, name="leaderboard_detail"),
    path("leaderboard/<int:number>/board.csv", leaderboards.leaderboard_csv, name="leaderboard_csv"),
    path("leaderboard/<int:number>/board.json", leaderboards.leaderboard_as_json, name="leaderboard_json"),
    path("leaderboard/<int:number>/<str:measure>.svg", leaderboards.leaderboard_picture, name="leaderboard_picture"),
    *below_boards([*one_run.PAGES, *two_runs.PAGES, *topics.PAGES, *snapshots.PAGES]),
    *snapshots.OF_LEADERBOARDS,
    *below_boards(
        [
            *pairs.PAGES,
            *assumptions.PAGES,
            *heatmap.PAGES,
            *measures.PAGES,
            *efficiency.PAGES,
            *curves.PAGES,
            *reliability.PAGES,
            *components.PAGES,
        ]
    ),
    *reliability.COMPUTE,
]
