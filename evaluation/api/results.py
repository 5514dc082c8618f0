"""Scores and leaderboards in the API: what may be seen is decided by the same selectors as on the pages."""

import math
from datetime import datetime
from functools import partial
from typing import Annotated, Any, Literal

from django.http import Http404, HttpRequest, HttpResponse
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import PUBLIC
from campaign.api.fields import LARGEST, one_of
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import RUN, TASK, RunPath, TaskPath
from campaign.models import Run
from campaign.permissions import get_run_or_404, get_task_or_404, is_organiser
from campaign.web.links import absolute
from evaluation.boards.audiences import AUDIENCES, PARTICIPANTS
from evaluation.boards.measures_in_words import parameters_in_words
from evaluation.exports import asked_of_json, live_json, own_json, part_of_json
from evaluation.models import Leaderboard
from evaluation.permissions import get_board_or_404
from evaluation.selectors.restored import Origins
from evaluation.selectors.score_visibility import ShownScores, get_live_board_or_404, shown_scores
from evaluation.selectors.snapshots import published_file

router = Router(tags=["Results"])
Number = Annotated[int, Path(ge=1, le=LARGEST)]


class MeasureOut(Schema):
    measure: str
    depends_on: list[str] = Field(
        description="What the number depends on, in words: relevant from grade 2, p = 0.8, ..."
    )
    value: float | None = Field(description="Over the topics that have a value; null: not defined.")
    topics: dict[str, float | None] = Field(
        description="By topic number; empty where the task's policy shows means only. A topic that the run misses has the "
        "measure's worst value; null: it is left out."
    )


class ScoresOut(Schema):
    is_visible: bool = Field(description="false: nothing is shown to you yet, and `measures` is empty; `why` says why.")
    is_early: bool = Field(False, description="true: shown by the task's policy, before a leaderboard is published.")
    why: str = Field("", description="Why nothing is shown; empty where something is.")
    over: str = Field("", description="Over which topics the values are, in words.")
    qrels: int | None = Field(description="The version of the qrels.")
    topics_answered: int | None
    run_order: str | None = Field(description="By what the documents of the run were ordered: score, rank or line.")
    reference: str | None = Field(description="The release of trec_eval whose precision compared scores: 9 or 10.")
    scored_at: datetime | None = Field(description="When they were computed; for a team, when they were published.")
    measures: list[MeasureOut]


class RestoredOut(Schema):
    """Of a leaderboard that came out of an archive: this site did not publish it."""

    archive_made_at: datetime | None = Field(description="When the archive says that it was made.")
    restored_at: datetime | None
    content_sha256: str = Field(description="The checksum of the content of the archive.")


class LeaderboardOut(Schema):
    number: int
    qrels: int
    measures: list[str]
    run_order: str = Field(description="By what the documents of runs were ordered: score, rank or line.")
    reference: str = Field(description="The release of trec_eval whose precision compared scores: 9 or 10.")
    published_at: datetime
    note: str
    audience: str = one_of(AUDIENCES)
    licence: str = Field(description="Its SPDX name; empty: not stated.")
    terms: str = Field(description="Of use.")
    sha256: str = Field(description="Of the whole; empty where you see the scores of your own runs only.")
    url: str = Field(description="Its page.")
    restored: RestoredOut | None = Field(description="null: published here.")


class CellOut(Schema):
    mean: float
    low: float | None = Field(description="Of the interval; null: not finite.")
    high: float | None
    rank_first: int | None = Field(
        description="By the mean, from 1; null: the measure does not tell how good a run is, or you see your own runs only."
    )
    rank_last: int | None = Field(description="Differs from rank_first where runs share a rank.")
    rank_best: int | None = Field(
        description="The best rank that the true mean may have; null: cannot be told, as by tests that do not go by means."
    )
    rank_worst: int | None
    letters: str = Field(
        description="Runs that share a letter are not significantly different; empty where ranks are null."
    )
    difference: float | None = Field(description="To the baseline.")
    p: float | None = Field(description="Of the difference, before correction.")
    p_corrected: float | None = Field(description="After correction for the family that `tests` names.")
    unjudged_best: float | None = Field(
        description="The number if all unjudged documents that the measure looks at had the highest grade."
    )
    lower_is_better: bool
    summary: str = Field(description="How the topics were summed up.")
    topics: int = Field(description="Over how many topics.")


class BoardRowOut(Schema):
    tag: str
    team: str
    kind: str = one_of(Run.KINDS)
    topics_answered: int
    unjudged_at_10: float | None = Field(
        description="Share of the first 10 ranks with a document without a judgment; ranks without a document count as judged."
    )
    answers: dict[str, str] = Field(description="To questions with fixed answers: question to answer.")
    cells: dict[str, CellOut] = Field(description="By measure.")
    values: dict[str, list[float | None]] = Field(
        {}, description="By measure: one value for each of `topics`, in their order; null: the topic is left out."
    )


class BoardQuery(Schema):
    measure: str = Field("", description="Only this measure of the board.")
    values: Literal["0", "1"] = Field("1", description="0: without the values by topic.")


class QrelsChecksums(Schema):
    version: int
    sha256: str
    subtopic_sha256: str = Field(description="Empty without judgments of subtopics.")
    sample_sha256: str | None = Field(None, description="Not there without a sample of a pool.")
    twins_sha256: str | None = Field(None, description="Not there where no document stands for near-identical ones.")


class LeaderboardDetail(Schema):
    campaign: str
    task: str
    leaderboard: int = Field(description="Its number.")
    published_at: datetime
    qrels: QrelsChecksums
    sha256: str = Field(description="Of the parts leaderboard, measures, note, qrels, runs, tests and topics.")
    tests: dict[str, Any] = Field(description="How intervals and p-values were computed.")
    measures: list[str]
    depends_on: dict[str, list[str]] = Field(description="By measure: what it depends on, in words.")
    topics: list[str]
    runs: list[BoardRowOut]
    note: str
    audience: str = Field(json_schema_extra={"enum": list(AUDIENCES)})
    licence: str
    terms: str
    restored: RestoredOut | None = Field(None, description="Not there of a leaderboard that was published here.")


class LiveBoardOut(Schema):
    campaign: str
    task: str
    board: Literal["live board"]
    is_published: Literal[False]
    qrels: int = Field(description="The version of the qrels.")
    tests: str = Field(description="What was tested, in words.")
    measures: list[str]
    topics: int = Field(description="Over how many topics; those for feedback alone where the task has any.")
    runs: list[BoardRowOut]


class OwnTopicOut(Schema):
    topic: str
    value: float | None
    low: float | None = Field(description="Of all runs of the board; null where too few teams have a value.")
    median: float | None
    high: float | None


class OwnMeasureOut(Schema):
    mean: float | None
    topics: list[OwnTopicOut]


class OwnRunOut(Schema):
    tag: str
    measures: dict[str, OwnMeasureOut]


class OwnScoresDetail(Schema):
    """Of a leaderboard for participants: the runs of the reader's teams."""

    campaign: str
    task: str
    leaderboard: int = Field(description="Its number.")
    audience: Literal["participants"]
    note: str
    licence: str = ""
    terms: str = ""
    runs: list[OwnRunOut]
    restored: RestoredOut | None = Field(None, description="Not there of a leaderboard that was published here.")


@router.get(f"{RUN}/scores", response=ScoresOut, summary="Read a run's scores")
def read_scores(request: HttpRequest, path: Path[RunPath]) -> ScoresOut:
    """For organisers as soon as they exist, for its team as far as `scores_shown` of the task says."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    shown = shown_scores(request.user, get_run_or_404(request.user, task, path.tag))
    scores = shown.scores
    if scores is None:
        return ScoresOut(
            is_visible=False,
            is_early=shown.is_early,
            why=shown.why,
            over="",
            qrels=None,
            topics_answered=None,
            run_order=None,
            reference=None,
            scored_at=None,
            measures=[],
        )
    return ScoresOut(
        is_visible=True,
        is_early=shown.is_early,
        why="",
        over=scores.over,
        qrels=scores.qrels.version,
        topics_answered=scores.topics_answered,
        run_order=scores.ordering.run_order,
        reference=scores.ordering.reference,
        scored_at=scores.at,
        measures=_measures(shown),
    )


@router.get(f"{TASK}/live-board", response=LiveBoardOut, summary="Read the live board", **PUBLIC)
def read_live_board(request: HttpRequest, path: Path[TaskPath]) -> HttpResponse:
    """Of a task whose policy shows one: all runs as they are scored now, without values by topic. Nothing of it is published."""
    _, seen = get_live_board_or_404(request.user, path.campaign, path.task)
    if seen is None:
        raise Http404
    return HttpResponse(live_json(seen), content_type="application/json; charset=utf-8")


@router.get(f"{TASK}/leaderboards", response=Page[LeaderboardOut], summary="List leaderboards", **PUBLIC)
def list_leaderboards(request: HttpRequest, path: Path[TaskPath], paging: Query[Paging]) -> Page[LeaderboardOut]:
    """The published snapshots of a task, the oldest first."""
    task = get_task_or_404(request.user, path.campaign, path.task)
    organises = is_organiser(request.user, task.campaign)
    published = Leaderboard.objects.of_visible_task(task, request.user, organises=organises).defer("rows")
    published = published.select_related("task__campaign", "qrels").order_by("number")
    return page_of(
        request, published, paging, partial(leaderboard_out, organises=organises, origins=Origins(task.campaign))
    )


@router.get(
    f"{TASK}/leaderboards/{{number}}",
    response=LeaderboardDetail | OwnScoresDetail,
    summary="Read a leaderboard",
    **PUBLIC,
)
def read_leaderboard(
    request: HttpRequest, path: Path[TaskPath], number: Number, query: Query[BoardQuery]
) -> HttpResponse:
    """The whole snapshot with every run's values per topic: enough to compute each of its numbers again.

    Of a leaderboard for participants teams get the scores of their own runs.
    """
    seen = get_board_or_404(request, path.campaign, path.task, number, shows_own=True)
    if query.measure and query.measure not in seen.board.measures:
        raise Http404
    if seen.only_own:
        return HttpResponse(own_json(seen), content_type="application/json; charset=utf-8")
    asked = asked_of_json(seen.board.measures, query.dict())
    # The whole as it is stored, so that its checksum can be computed from the answer.
    text = published_file(seen.published, "json") if asked is None else part_of_json(seen, *asked)
    return HttpResponse(text, content_type="application/json; charset=utf-8")


def _measures(shown: ShownScores) -> list[MeasureOut]:
    scores = shown.scores
    if scores is None:
        return []
    return [
        MeasureOut(
            measure=measure,
            depends_on=parameters_in_words(measure),
            value=_finite(scores.means[measure]),
            topics={topic: _finite(value) for topic, value in zip(scores.topics, values, strict=True)}
            if shown.by_topic
            else {},
        )
        for measure, values in zip(scores.measures, scores.values.tolist(), strict=True)
    ]


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None


def leaderboard_out(leaderboard: Leaderboard, *, organises: bool, origins: Origins | None = None) -> LeaderboardOut:
    # By the checksum of all scores a team could find out whether those that it guesses of others are right.
    sees_whole = organises or leaderboard.audience != PARTICIPANTS
    restored = (origins or Origins(leaderboard.task.campaign)).of(leaderboard)
    return LeaderboardOut(
        number=leaderboard.number,
        qrels=leaderboard.qrels.version,
        measures=leaderboard.measures,
        run_order=leaderboard.ordering.run_order,
        reference=leaderboard.ordering.reference,
        published_at=leaderboard.published_at,
        note=leaderboard.note,
        audience=leaderboard.audience,
        licence=leaderboard.licence,
        terms=leaderboard.terms,
        sha256=leaderboard.sha256 if sees_whole else "",
        url=absolute(leaderboard.get_absolute_url()),
        restored=RestoredOut(**restored.to_json()) if restored else None,
    )
