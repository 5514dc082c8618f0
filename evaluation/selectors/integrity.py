"""Whether scores and boards are what follows from runs and qrels: what `manage.py verify` compares of this app."""

import json
from collections.abc import Iterator

import numpy as np
from django.db.models import F, QuerySet

from campaign.integrity import Extent, Finding, M, each_by_itself, first_of
from campaign.models import AuditEvent, Campaign, Task
from campaign.storage.checksums import is_intact
from campaign.text.numbers import whole_number
from evaluation.boards.board import VERSION, Board
from evaluation.boards.soundness import (
    MEANS_AGREE_WITHIN,
    problems_of_numbers,
    problems_of_served,
    problems_of_unjudged,
)
from evaluation.boards.stored import NoBoardError, p_of, read_board, require_arrays, values_of
from evaluation.engine.analyses.bounds import meaning_of_bounds
from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.models import Evaluation, Leaderboard, WorkingBoard
from evaluation.selectors.boards import content_of, stored_board
from judging.models import Qrels

FROM_BACKUP = "It was changed behind the site's back: restore it from a backup of before the change."
SCORE_ANEW = "Delete the evaluation; the next scoring of the task computes it anew and makes the board again."

COMPUTE_ANEW = "Delete the working board and ask for the scores of the task: the board is then computed anew."


def name_of_evaluation(evaluation: Evaluation) -> str:
    return _named(f"evaluation {evaluation.pk}, {evaluation}", evaluation.run.task)


def _named(what: object, task: Task) -> str:
    """With the campaign: several have tasks and runs of the same names."""
    return f"{what}, of campaign {task.campaign.slug}"


def verify_references(extent: Extent) -> Iterator[Finding]:
    """No scores are kept under qrels or of a run with other bytes than those that they were computed from."""
    extent.looked["evaluations by their checksums"] += Evaluation.objects.count()
    for what, changed in (
        ("qrels", Evaluation.objects.exclude(qrels_sha256=F("qrels__sha256"))),
        ("a run", Evaluation.objects.exclude(run_sha256=F("run__sha256"))),
    ):
        keys, more = first_of(changed)
        if keys:
            also = f" and {more:,} more" if more else ""
            text = (
                f"Evaluations {', '.join(keys)}{also} were computed from {what} of other bytes than the row now names."
            )
            slugs = (
                Campaign.everything.filter(tasks__runs__evaluations__in=[int(key) for key in keys])
                .distinct()
                .order_by("slug")
            )
            subject = f"scores of campaign {', '.join(slugs.values_list('slug', flat=True))}"
            yield Finding("scores", subject, text, FROM_BACKUP)


def verify_means(extent: Extent) -> Iterator[Finding]:
    """The one number of every measure, of every evaluation, against its values by topic."""
    wanted = Evaluation.objects.select_related("qrels", "run__task__campaign").only(
        *(
            "measures",
            "values",
            "means",
            "unjudged_best",
            "unjudged_best_values",
            "left_out",
            "qrels__topics",
            "qrels__version",
            "qrels__set_name",
        ),
        *("run__tag", "run__task__title", "run__task__campaign__slug"),
    )

    def compare(evaluation: Evaluation) -> Iterator[Finding]:
        extent.looked["means of evaluations"] += 1
        if problem := _problem_of_means(evaluation):
            yield Finding("scores", name_of_evaluation(evaluation), problem, SCORE_ANEW)

    return each_by_itself("scores", wanted, compare)


def _problem_of_means(evaluation: Evaluation) -> str:
    topics, measures = evaluation.qrels.topics, evaluation.measures
    if len(bytes(evaluation.values)) != 8 * len(topics) * len(measures):
        return "It does not hold one value for each measure and topic."
    counting = ~np.isin(np.array(topics, dtype=np.str_), np.array(evaluation.left_out, dtype=np.str_))
    values = evaluation.matrix()[:, counting]
    for name, row in zip(measures, values, strict=True):
        if not _agree(summary_of_compared(row, parse_measure(name).definition), evaluation.means.get(name)):
            return f"Its {name} is not what its values by topic give."
    return _problem_if_best(evaluation, counting)


def _problem_if_best(evaluation: Evaluation, counting: BoolArray) -> str:
    best = evaluation.unjudged_best_values
    if best is None:
        return ""
    if len(bytes(best)) != len(bytes(evaluation.values)):
        return "It does not hold one value for each measure and topic if unjudged documents were best."
    by_topic = np.frombuffer(best, dtype="<f8").reshape(len(evaluation.measures), -1)[:, counting]
    numbers = evaluation.unjudged_best or {}
    for measure, row in zip(map(parse_measure, evaluation.measures), by_topic, strict=True):
        if meaning_of_bounds(measure) == "none":
            is_right = measure.name not in numbers and np.isnan(row).all()
        else:
            is_right = _agree(summary_of_compared(row, measure.definition), numbers.get(measure.name))
        if not is_right:
            return f"Its {measure.name} if unjudged documents were best is not what its values by topic give."
    return ""


def _agree(computed: float, stored: object) -> bool:
    if not isinstance(stored, int | float):
        return stored is None and not np.isfinite(computed)
    return bool(np.isclose(computed, stored, rtol=MEANS_AGREE_WITHIN, atol=0.0, equal_nan=True))


def verify_boards(extent: Extent) -> Iterator[Finding]:
    """Boards: each number against the values by topic that are stored with it, and these against the evaluations."""

    def compare_working(working: WorkingBoard) -> Iterator[Finding]:
        extent.looked["working boards"] += 1
        for text in _of_board(working):
            yield Finding("boards", _named(working, working.task), text, COMPUTE_ANEW)

    def compare_published(leaderboard: Leaderboard) -> Iterator[Finding]:
        extent.looked["published boards"] += 1
        for text in (*_of_board(leaderboard), *_of_snapshot(leaderboard)):
            yield Finding("boards", _named(leaderboard, leaderboard.task), text, FROM_BACKUP)

    working_boards = WorkingBoard.objects.select_related("task__campaign", "qrels")
    published = Leaderboard.objects.select_related("task__campaign", "qrels").exclude(board="")
    yield from each_by_itself("boards", working_boards, compare_working, 20)
    yield from each_by_itself("boards", published, compare_published, 20)


def _of_board(stored: WorkingBoard | Leaderboard) -> Iterator[str]:
    names = [str(name) for name in (stored.board, stored.values) if name]
    if damaged := [name for name in names if not is_intact(name)]:
        yield f"Its stored {', '.join(damaged)} cannot be read, and nothing of it can be compared."
        return
    content = content_of(stored.values)
    try:
        board = read_board(content_of(stored.board))
        require_arrays(board, content, content_of(stored.p_of_pairs))
    except NoBoardError as problem:
        yield str(problem)
        return
    values = values_of(content, board)
    yield from problems_of_numbers(board, values)
    if isinstance(stored, WorkingBoard):
        yield from _against_evaluations(stored, values)


def verify_unjudged_of_boards(extent: Extent) -> Iterator[Finding]:
    """A sample of the boards: what their tests say if unjudged documents were best, computed anew."""

    def chosen(rows: QuerySet[M]) -> QuerySet[M]:
        keys = extent.chosen(list(rows.order_by("pk").values_list("pk", flat=True)))
        return rows.select_related("task__campaign", "qrels").filter(pk__in=keys)

    def found(stored: WorkingBoard | Leaderboard, remedy: str) -> Iterator[Finding]:
        for text in _of_unjudged(stored, extent):
            yield Finding("boards", _named(stored, stored.task), text, remedy)

    working, published = chosen(WorkingBoard.objects.all()), chosen(Leaderboard.objects.exclude(board=""))
    yield from each_by_itself("boards", working, lambda stored: found(stored, COMPUTE_ANEW), 20)
    yield from each_by_itself("boards", published, lambda stored: found(stored, FROM_BACKUP), 20)


def _of_unjudged(stored: WorkingBoard | Leaderboard, extent: Extent) -> Iterator[str]:
    """Boards that cannot be read are found by `verify_boards`."""
    names = [str(name) for name in (stored.board, stored.values, stored.p_of_pairs) if name]
    if not all(map(is_intact, names)):
        return
    content, content_of_pairs = content_of(stored.values), content_of(stored.p_of_pairs)
    try:
        board = read_board(content_of(stored.board))
        require_arrays(board, content, content_of_pairs)
    except NoBoardError:
        return
    if board.unjudged is None:
        return
    if board.version != VERSION:
        extent.looked["boards of an earlier version of the tests, not tested anew"] += 1
        return
    if_best = _if_best(stored, board)
    whole = "" if if_best is not None else ", but for the cases other than as judged: the scores are gone, or newer"
    extent.looked[f"boards tested anew as if unjudged documents were best{whole}"] += 1
    yield from problems_of_unjudged(board, values_of(content, board), p_of(content_of_pairs, board), if_best)


def _if_best(stored: WorkingBoard | Leaderboard, board: Board) -> FloatArray | None:
    """By the first measure, the values if unjudged documents were best, of the scores that the board was computed from.

    None unless all of them are still there.
    """
    until = stored.computed_at if isinstance(stored, WorkingBoard) else stored.published_at
    found = {
        evaluation.run_id: evaluation
        for evaluation in Evaluation.objects.filter(
            qrels=stored.qrels,
            run__in=[run for run in stored.run_ids if run is not None],
            engine=Evaluation.ENGINE,
            scored_at__lte=until,
            unjudged_best_values__isnull=False,
        )
        if board.measures[0] in evaluation.measures
    }
    if not all(run in found for run in stored.run_ids):
        return None
    columns = [stored.qrels.topics.index(topic) for topic in board.topics]
    of_runs = [found[run].unjudged_best_of(board.measures[0]) for run in stored.run_ids]
    return np.array(of_runs)[:, columns]


def _against_evaluations(working: WorkingBoard, values: FloatArray) -> Iterator[str]:
    """A working board that is out of date is computed anew, and is no fault: only scores from before it are compared."""
    board = stored_board(str(working.board.name))
    columns = [working.qrels.topics.index(topic) for topic in board.topics]
    before = Evaluation.objects.filter(
        qrels=working.qrels, run__in=working.run_ids, engine=Evaluation.ENGINE, scored_at__lte=working.computed_at
    )
    places = {run: place for place, run in enumerate(working.run_ids)}
    for evaluation in before.select_related("run").iterator(chunk_size=50):
        if not set(board.measures) <= set(evaluation.measures):
            continue
        rows = [evaluation.measures.index(name) for name in board.measures]
        own = evaluation.matrix()[np.ix_(rows, columns)]
        if not np.array_equal(own, values[places[evaluation.run_id]], equal_nan=True):
            yield f"Its values of the run {evaluation.run.tag} are not those of the run's scores."


def _of_snapshot(leaderboard: Leaderboard) -> Iterator[str]:
    """The exported file against the checksum by which readers cite the board."""
    name = str(leaderboard.as_json)
    if not (name and is_intact(name)):
        yield f"Its stored {name or 'JSON file'} cannot be read."
        return
    data = json.loads(content_of(leaderboard.as_json))
    yield from problems_of_served(data, leaderboard.sha256, leaderboard.qrels.sha256)


def verify_log_of_releases(extent: Extent) -> Iterator[Finding]:
    """What the log says of the checksums of qrels and boards, when they were released, against their rows."""
    for model, verb in ((Qrels, "released"), (Leaderboard, "publish")):
        known = dict(model._default_manager.values_list("pk", "sha256"))
        events = AuditEvent.objects.filter(verb=verb, object_type=str(model._meta.model_name)).order_by("pk")
        for event in events.iterator(chunk_size=500):
            logged = event.data.get("sha256") if isinstance(event.data, dict) else None
            key = whole_number(event.object_id) or 0
            extent.looked["releases in the log"] += 1
            if key not in known:
                text = f"Entry {event.pk} tells of a release that is no longer there."
            elif logged != known[key]:
                text = f"Entry {event.pk} has another SHA-256 than the row of what was released."
            else:
                continue
            named = f"{model._meta.verbose_name} {event.object_id}"
            yield Finding("audit", named, text, FROM_BACKUP)
