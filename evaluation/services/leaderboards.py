import json
from collections.abc import Collection
from hashlib import sha256

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import Notice, Task, User
from campaign.news.services.automatic import tell_of_results
from campaign.news.services.notices import MailedBy, notice_mail
from campaign.permissions import get_or_404, locked_organised_task_or_404
from campaign.queue.jobs import enqueue
from campaign.setup.services.closing import close_for_qrels
from campaign.setup.services.tasks import task_advance, task_update
from campaign.storage import store
from campaign.text.plurals import number_of
from campaign.web.daily_limits import require_few_rows
from evaluation.analysis.reliability.selectors import REPORT_OF_LEADERBOARD
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.boards.board_csv import board_csv
from evaluation.boards.stored import array_bytes, board_bytes
from evaluation.models import Leaderboard, WorkingBoard
from evaluation.selectors.audiences import audience_problem, names_were_shown
from evaluation.selectors.boards import is_current, scored_runs, working_board
from evaluation.selectors.leaderboard_drafts import NO_TERMS, Draft, Terms, draft_for, next_number, said_of_scores
from evaluation.selectors.publication_effects import as_read, mark_of_read, publication_said
from evaluation.selectors.results import result_on
from evaluation.selectors.task_measures import measures_problem
from evaluation.services.scoring import scores_request
from judging.core.set_names import DEFAULT
from judging.models import Qrels

JUDGED = "Judged@10"
MAIL_LEADERBOARD = "mail leaderboard"
"""Done by evaluation/jobs.py."""
CHANGED_MEANWHILE = (
    "Nothing is published: what was shown has changed since, or a board was published. Look again, then publish."
)
FOLDER = "leaderboards"
MOST_BOARDS_A_DAY = 100
"""Of a task: each keeps its files, and is told to everybody who takes part."""


@transaction.atomic
def leaderboard_publish(
    *,
    actor: User,
    task: Task,
    audience: str = PUBLIC,
    terms: Terms = NO_TERMS,
    seen: Collection[str] = (),
    set_name: str = DEFAULT,
    names_may_be_known: bool = False,
    read: str = "",
    written: Draft | None = None,
) -> Leaderboard:
    """Publish the working board of a set of qrels as it stands, as a numbered snapshot; its qrels too if it is public.

    What the newest snapshot says already is not published again: that one is returned, since whoever sent this has lost the
    answer. `seen`: marks, one of them the `next_snapshot_mark` of the board that the organiser agreed to: another board is not
    published; none: any is. `names_may_be_known`: the organiser has read that names of a board without names were shown before.
    `read`: the `mark_of_read` of what the organiser confirms: nothing is published where it is not so any more. `written`: what
    `draft_written` gave for the same, taken if it still says what would be published.
    """
    locked = locked_organised_task_or_404(actor, task)
    published = Leaderboard.objects.filter(task=locked)
    working = publishable_board(actor, locked, set_name, audience)
    draft = draft_for(actor=actor, task=locked, working=working, audience=audience, terms=terms)
    newest = published.order_by("number").last()
    if newest and (not seen or snapshot_mark(locked, working, newest.number) in seen) and draft.is_said_by(newest):
        return newest
    if seen and next_snapshot_mark(locked, working) not in seen:
        raise ValidationError(CHANGED_MEANWHILE)
    require_agreement(actor, locked, set_name, audience, names_may_be_known=names_may_be_known, read=read)
    if written is None or not draft.says_the_same_as(written):
        written = _stored(draft, working)
    leaderboard = written.leaderboard
    leaderboard.full_clean()
    leaderboard.save()
    _follow(actor, task, leaderboard)
    return leaderboard


def publishable_board(actor: User, task: Task, set_name: str, audience: str) -> WorkingBoard:
    """The working board, where it can be published to this audience now. ValidationError: why not, and what to do."""
    published, what = Leaderboard.objects.filter(task=task), "leaderboards of this task"
    require_few_rows(published, "published_at", {"published_by": actor}, MOST_BOARDS_A_DAY, what)
    working = _complete_board(task, set_name)
    if problem := audience_problem(task, audience):
        raise ValidationError(problem)
    return working


def require_agreement(
    actor: User, task: Task, set_name: str, audience: str, *, names_may_be_known: bool, read: str
) -> None:
    """Raise ValidationError where the organiser agreed to what is not so any more, or not to names that were shown."""
    if read and read != mark_of_read(as_read(publication_said(actor, task, set_name, audience))):
        raise ValidationError(CHANGED_MEANWHILE)
    if not names_may_be_known and (told := names_were_shown(task, audience)):
        raise ValidationError(f"{told} Confirm that you know this, or publish to another audience.")


def draft_written(*, actor: User, task: Task, audience: str, terms: Terms, set_name: str) -> Draft:
    """What would be published now, its files stored: without a lock on the task, since that takes seconds for many runs."""
    working = publishable_board(actor, task, set_name, audience)
    return _stored(draft_for(actor=actor, task=task, working=working, audience=audience, terms=terms), working)


def _follow(actor: User, task: Task, leaderboard: Leaderboard) -> None:
    """What the confirmation says that follows: the log, the qrels of a public board, the phase, the notice; and its report."""
    said = {"number": leaderboard.number, "audience": leaderboard.audience, "sha256": leaderboard.sha256}
    audit(actor, "publish", leaderboard, campaign=leaderboard.task.campaign, **said)
    if leaderboard.is_public:
        _publish_qrels(actor, task, leaderboard.qrels)
    _tell(actor, leaderboard)
    enqueue(REPORT_OF_LEADERBOARD, leaderboard_id=leaderboard.pk)


def _publish_qrels(actor: User, task: Task, qrels: Qrels) -> None:
    Qrels.objects.filter(pk=qrels.pk, published_at__isnull=True).update(published_at=timezone.now())
    close_for_qrels(actor=actor, task=task)
    if qrels.set_name == DEFAULT:
        task_advance(actor=actor, task=task, phase=Task.PUBLISHED)


def _tell(actor: User, leaderboard: Leaderboard) -> None:
    """One notice to those who may see the board, also of its qrels."""
    task, number = leaderboard.task, leaderboard.number
    audience = Notice.SUBMITTERS if leaderboard.audience == PARTICIPANTS else Notice.EVERYBODY
    qrels = " The qrels that it rests on can be downloaded." if leaderboard.is_public else ""
    said = {"title": f"{task}: leaderboard {number} is published", "page": leaderboard.get_absolute_url()}
    body = f"Leaderboard {number} of the task {task} is published.{qrels}"
    mailed_by = MailedBy(MAIL_LEADERBOARD, {"leaderboard_id": leaderboard.pk})
    tell_of_results(actor=actor, task=task, body=body, audience=audience, mailed_by=mailed_by, **said)


def leaderboard_mail(*, notice_id: int, leaderboard_id: int) -> int:
    """Write the mails of the notice of a leaderboard; members of teams read in theirs what their home page says of it."""
    boards = Leaderboard.objects.select_related("qrels", "task__campaign")
    leaderboard = get_or_404(boards, pk=leaderboard_id)
    return notice_mail(notice_id, lambda user: _own_words(user, leaderboard))


def _own_words(user: User, leaderboard: Leaderboard) -> str:
    result = result_on(user, leaderboard)
    return "" if result is None else f"{result.in_words}."


@transaction.atomic
def judged_share_add(*, actor: User, task: Task) -> None:
    """Add the share of judged documents to the measures of the task, and have all runs scored by it."""
    changed = task_update(actor=actor, task=task, measures=[*(task.measures or task.mode.measures), JUDGED])
    scores_request(actor=actor, task=changed)


def next_snapshot_mark(task: Task, working: WorkingBoard) -> str:
    """Names exactly what publishing would publish now, under which number; the note is still open."""
    return snapshot_mark(task, working, next_number(task))


def snapshot_mark(task: Task, working: WorkingBoard, number: int) -> str:
    said = json.dumps([working.mark, number, said_of_scores(task, working)], sort_keys=True)
    return sha256(said.encode()).hexdigest()


def _complete_board(task: Task, set_name: str) -> WorkingBoard:
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    if scored is None:
        raise ValidationError("There are no scores to publish: the task has no qrels. Release or import them first.")
    if not scored.runs and not scored.unscored:
        raise ValidationError("There are no scores to publish: the task has no valid run.")
    if not scored.runs:
        raise ValidationError("There are no scores to publish: score the runs first.")
    if problem := measures_problem(task, scored.qrels):
        raise ValidationError(problem)
    if scored.unscored:
        runs = f"{number_of(scored.unscored, 'valid run')} {'is' if scored.unscored == 1 else 'are'}"
        raise ValidationError(f"{runs} not scored yet by the task's measures. Wait for the scoring, then publish.")
    if working is None or not is_current(working, scored):
        raise ValidationError("The board is being computed anew. Wait until that is done, look at it, then publish.")
    return working


def _stored(draft: Draft, working: WorkingBoard) -> Draft:
    """The files are stored as they will be served: nothing is computed anew when a snapshot is read."""
    leaderboard, board = draft.leaderboard, draft.board
    leaderboard.as_json = _kept(draft.export().encode(), ".json")
    leaderboard.as_csv = _kept(board_csv(board, leaderboard.ordering).encode(), ".csv")
    if leaderboard.audience == ANONYMOUS:
        leaderboard.board = _kept(board_bytes(board), ".json")
        leaderboard.values = _kept(array_bytes(draft.values), ".f64")
        leaderboard.p_of_pairs = _kept(array_bytes(draft.p_of_pairs), ".f64") if working.p_of_pairs else ""
    else:
        leaderboard.board, leaderboard.values = working.board.name, working.values.name
        leaderboard.p_of_pairs = working.p_of_pairs.name
    return draft


def _kept(content: bytes, suffix: str) -> str:
    return str(store(ContentFile(content), folder=FOLDER, suffix=suffix).name)
