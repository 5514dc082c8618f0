"""The organiser's tables as CSV, for spreadsheets."""

from collections.abc import Iterable

from django.http import HttpResponse

from campaign.formats.spreadsheet import csv_lines
from campaign.models import Acceptance, Campaign
from campaign.teams.selectors.team_table import TaskRuns, TeamRow

COUNTED = ("valid", "rejected", "extra_runs", "extra_uploads_a_day", "extra_gb_a_day", "own_deadline")


def teams_csv(campaign: Campaign, rows: Iterable[TeamRow]) -> str:
    """One line a team; the columns of COUNTED for each task."""
    tasks = list(campaign.tasks.order_by("pk").values_list("slug", flat=True))
    counted = [f"{slug}:{what}" for slug in tasks for what in COUNTED]
    head = ["team", "address", "affiliation", "members", "state", "registered_at", "registered_by", "note"]
    head += ["agreements_missing", "last_run", *counted]
    return "".join(csv_lines(head, map(_team, rows)))


def agreements_csv(acceptances: Iterable[Acceptance]) -> str:
    """The record: who accepted which text for which team, and when."""
    head = ["agreement", "title", "text_sha256", "team", "user", "name", "email", "accepted_at"]
    return "".join(csv_lines(head, map(_acceptance, acceptances)))


def _team(row: TeamRow) -> list[object]:
    registration = row.registration
    return [
        registration.team.name,
        registration.team.slug,
        registration.team.affiliation,
        row.members,
        registration.state,
        registration.registered_at.isoformat(),
        registration.registered_by.username,
        registration.note,
        "; ".join(agreement.title for agreement in row.missing),
        row.last_run.isoformat() if row.last_run else "",
        *(value for task in row.tasks for value in _task(task)),
    ]


def _task(runs: TaskRuns) -> list[object]:
    allowance = runs.allowance
    if allowance is None:
        return [runs.valid, runs.rejected, 0, 0, 0, ""]
    own_deadline = allowance.closes_at.isoformat() if allowance.closes_at else ""
    extra = (allowance.extra_runs, allowance.extra_attempts, allowance.extra_gib)
    return [runs.valid, runs.rejected, *extra, own_deadline]


def _acceptance(acceptance: Acceptance) -> list[object]:
    user = acceptance.accepted_by
    agreement = acceptance.agreement
    agreed = [agreement.pk, agreement.title, acceptance.text_sha256, acceptance.team.name]
    return [*agreed, user.username, str(user), user.email, acceptance.accepted_at.isoformat()]


def csv_answer(text: str, name: str) -> HttpResponse:
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return HttpResponse(text, content_type="text/csv; charset=utf-8", headers=headers)
