from django.urls import path

from evaluation.views import leaderboards, scores, unjudged

urlpatterns = [
    path("scores/", scores.score_board, name="score_board"),
    path("scores/score/", scores.score_all, name="score_all"),
    path("scores/card/", scores.scores_card, name="scores_card"),
    path("scores/board.csv", scores.score_board_csv, name="score_board_csv"),
    path("scores/unjudged/", unjudged.runs_unjudged, name="runs_unjudged"),
    path("scores/<str:measure>.svg", scores.scores_picture, name="scores_picture"),
    path("runs/<str:tag>/scores/", scores.run_scores, name="run_scores"),
    path("leaderboard/", leaderboards.leaderboard_latest, name="leaderboard_latest"),
    path("leaderboard/publish/", leaderboards.leaderboard_publish, name="leaderboard_publish"),
    path("leaderboard/<int:number>/", leaderboards.leaderboard_detail, name="leaderboard_detail"),
    path("leaderboard/<int:number>/board.csv", leaderboards.leaderboard_csv, name="leaderboard_csv"),
    path("leaderboard/<int:number>/board.json", leaderboards.leaderboard_as_json, name="leaderboard_json"),
    path("leaderboard/<int:number>/<str:measure>.svg", leaderboards.leaderboard_picture, name="leaderboard_picture"),
]
