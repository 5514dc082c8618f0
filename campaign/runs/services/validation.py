"""Validation of a submission: all reasons to refuse it at once, each at its field."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from django.core.exceptions import NON_FIELD_ERRORS, ValidationError

from campaign.formats.keys import address_problem
from campaign.formats.patterns import PatternError, matches_whole, pattern_problem
from campaign.models import Membership, Registration, Run, Task, Team, User
from campaign.models.fields import length_problem
from campaign.models.lookalikes import name_problem, tidy
from campaign.models.run import LAST_PRIORITY, TAG_NOT_FREE
from campaign.runs.services.states import replaced_run
from campaign.setup.run_questions import read_answers, read_questions
from campaign.setup.selectors.schedule import RunWindow, why_too_late
from campaign.teams.selectors.acceptances import missing_agreements
from campaign.teams.selectors.quotas import Quota, quota
from campaign.text import limits
from campaign.text.plurals import number_of
from campaign.web.links import absolute

RESERVED_TAG = "new"
"""A run's tag is part of its page's address: there this word is the page that enters a run."""
NUL, NO_TEXT = "\0", "Null characters and halves of characters (lone surrogates) are not allowed."

Errors = Iterator[tuple[str, str]]


def require_submission(
    actor: User,
    task: Task,
    team: Team,
    tag: str,
    about: Mapping[str, Any],
    *,
    replace: bool,
    size: int,
    received_at: datetime,
) -> dict[str, Any]:
    """The values of the run, or a ValidationError with every reason to refuse it."""
    values, wrong = _about(task, about)
    earlier = replaced_run(task, team, tag) if replace and _is_tag(task, tag) else None
    room = quota(task, team, received_at)
    about_team = [*_of_team(actor, task, team), *_of_quota(room, size, earlier)]
    _refuse([*about_team, *_of_tag(task, tag, earlier), *_of_time(task, room.window, received_at), *wrong])
    return values


def require_place(run: Run, replaced: Run | None) -> None:
    """Refuse a run that has just been inserted if quota or time, read anew, leave no place for it.

    After the insertion, which waits for a change of the task's phase or rules and makes the next one wait.
    """
    task = Task.objects.select_related("campaign").get(pk=run.task_id)
    room = quota(task, run.team, run.submitted_at, besides=run)
    _refuse([*_of_quota(room, run.size, replaced), *_of_time(task, room.window, run.submitted_at)])


def not_taking_part(team: Team, registration: Registration | None) -> str:
    waits = registration is not None and registration.state == Registration.REQUESTED
    what = "An organiser has yet to approve it." if waits else "Register it on the campaign's page."
    return f"{team} does not take part in this campaign. {what}"


def about_run(task: Task, about: Mapping[str, Any]) -> dict[str, Any]:
    """The details of a run in their types: kind, priority, description, answers to the task's questions."""
    values, wrong = _about(task, about)
    _refuse(wrong)
    return values


def _refuse(errors: list[tuple[str, str]]) -> None:
    problems: dict[str, list[str]] = {}
    for field, message in errors:
        problems.setdefault(field, []).append(message)
    if problems:
        raise ValidationError(problems)


def _of_team(actor: User, task: Task, team: Team) -> Errors:
    if not Membership.objects.filter(team=team, user=actor).exists():
        yield "team", "You can submit only for a team that you are a member of."
        return
    registration = team.registrations.filter(campaign=task.campaign_id).first()
    if registration is None or registration.state != Registration.APPROVED:
        yield "team", not_taking_part(team, registration)
        return
    missing = [str(agreement) for agreement in missing_agreements(team, task.campaign)]
    if missing:
        named = ", ".join(f"“{title}”" for title in missing)
        where = absolute(task.campaign.get_absolute_url() + "register/")
        yield "team", f"{team} has yet to accept {named}. Accept it on the campaign's registration page: {where}"


def _of_quota(room: Quota, size: int, replaced: Run | None) -> Errors:
    if not room.left and replaced is None:
        used_up = f"{room.team} has used up its quota, {room.used} of {number_of(room.most, 'run')}."
        yield NON_FIELD_ERRORS, f"{used_up} Replace or withdraw one; rejected and withdrawn runs do not count."
    if why := room.day.why_used_up(size):
        yield NON_FIELD_ERRORS, f"{room.team} {why}"


def _of_tag(task: Task, tag: str, earlier: Run | None) -> Errors:
    if pattern_problem(task.tag_pattern):
        yield "tag", str(PatternError(task.tag_pattern))
    elif not _is_tag(task, tag):
        yield "tag", f"“{tag}” is no run tag here. {_why_no_tag(task, tag)}"
    elif name_problem(tag):
        yield "tag", name_problem(tag)
    elif tidy(tag) != tag:
        yield (
            "tag",
            f"Some characters of this tag are variants of plain ones. Write it as {tidy(tag)}, in the file too.",
        )
    elif earlier is None and Run.objects.counting().filter(task=task).looking_like(tag).exists():
        yield "tag", TAG_NOT_FREE


def _of_time(task: Task, window: RunWindow, received_at: datetime) -> Errors:
    if not window.is_open:
        yield NON_FIELD_ERRORS, why_too_late(task, window, received_at) or window.why_closed


def _about(task: Task, about: Mapping[str, Any]) -> tuple[dict[str, Any], list[tuple[str, str]]]:
    wrong: list[tuple[str, str]] = []
    answers, problems = read_answers(read_questions(task.questions), about["answers"])
    wrong += [("answers", f"{key}: {message}") for key, message in problems.items()]
    wrong += [("answers", f"{key}: {NO_TEXT}") for key, answer in answers.items() if not _is_text(str(answer))]
    if about["kind"] not in Run.KINDS:
        wrong.append(("kind", f"A run is made {' or '.join(Run.KINDS)}, not “{about['kind']}”."))
    if not 1 <= about["priority"] <= LAST_PRIORITY:
        wrong.append(("priority", f"Priorities go from 1, pooled first, to {LAST_PRIORITY}."))
    if problem := length_problem(about["description"], limits.DESCRIPTION):
        wrong.append(("description", problem))
    if not _is_text(about["description"]):
        wrong.append(("description", NO_TEXT))
    return {**about, "answers": answers}, wrong


def _is_text(text: str) -> bool:
    """Whether database and pages can hold the text: JSON can escape a NUL or a lone surrogate, which they cannot hold."""
    return NUL not in text and not any("\ud800" <= character <= "\udfff" for character in text)


def _why_no_tag(task: Task, tag: str) -> str:
    if tag == RESERVED_TAG:
        return "A tag is part of an address, in which this word leads elsewhere: choose another."
    if found := address_problem(tag, "tag"):
        _, message, remedy = found
        return f"{message} {remedy}"
    return f"Tags follow the pattern {task.tag_pattern}, for example bm25-title, and hold no white space."


def _is_tag(task: Task, tag: str) -> bool:
    if tag == RESERVED_TAG or address_problem(tag, "tag") or NUL in tag or tag.split() != [tag]:
        return False
    return not pattern_problem(task.tag_pattern) and matches_whole(task.tag_pattern, tag)
