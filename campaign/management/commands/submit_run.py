from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import File
from django.core.management.base import CommandError

from campaign.management.base import ScriptCommand, complain, opened, task_at
from campaign.models import Run, RunProblem, Task, Team, User
from campaign.runs.selectors.progress import findings_in_words, shown_problems
from campaign.runs.services.submission import SameBytesError, run_submit
from campaign.teams.selectors.acceptances import missing_agreements
from campaign.teams.services.acceptances import agreements_accept
from campaign.teams.services.registrations import team_register
from campaign.teams.services.teams import team_create
from campaign.text.plurals import number_of


class Command(ScriptCommand):
    help = (
        "Submit runs to a task and check them at once. A run with errors is rejected: problems on stderr, exit code 1."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("task", metavar="CAMPAIGN/TASK")
        parser.add_argument("files", metavar="FILE", nargs="+", type=Path, help="run files, plain or gzip")
        parser.add_argument("--team", required=True, help="name of the team")
        parser.add_argument(
            "--create-team", action="store_true", help="create and register the team if it does not exist"
        )
        parser.add_argument(
            "--accept-agreements", action="store_true", help="accept the campaign's agreements for the team"
        )
        parser.add_argument(
            "--tag", help="run tag (default: that of the file's first line, else of its name); for a single file"
        )
        parser.add_argument(
            "--kind", choices=list(Run.KINDS), default=Run.AUTOMATIC, help="run type (default: automatic)"
        )
        parser.add_argument(
            "--priority", type=int, help="judging priority, 1 first (default: the next after the team's other runs)"
        )
        parser.add_argument("--description", default="", help="how the run was made")
        parser.add_argument(
            "--answer",
            action="append",
            default=[],
            metavar="KEY=VALUE",
            help="answer to a question of the task; repeatable",
        )
        parser.add_argument(
            "--replace", action="store_true", help="withdraw the team's run of that tag, if there is one"
        )

    def perform(self, actor: User, **options: Any) -> None:
        task = task_at(options["task"])
        if options["tag"] and len(options["files"]) > 1:
            raise CommandError("--tag names one run; give one file with it.")
        team = _team(actor, task, options["team"], create=options["create_team"], accept=options["accept_agreements"])
        values = {name: options[name] for name in ("kind", "priority", "description", "replace")}
        values["answers"] = _answers(options["answer"])
        rejected = [
            path.name for path in options["files"] if not self.submit(actor, task, team, path, options["tag"], values)
        ]
        if rejected:
            raise CommandError(
                f"{len(rejected):,} of {number_of(len(options['files']), 'run')} not accepted: {', '.join(rejected)}"
            )

    def submit(self, actor: User, task: Task, team: Team, path: Path, tag: str | None, values: dict[str, Any]) -> bool:
        try:
            with opened(path) as file:
                run = run_submit(
                    actor=actor, task=task, team=team, tag=tag or "", file=File(file), file_name=path.name, **values
                )
        except SameBytesError as problem:  # a script that is run again
            complain([f"{path}: warning: {message}" for message in problem.messages])
            run = problem.run
        except ValidationError as problem:
            complain([f"{path}: {message}" for message in problem.messages])
            return False
        run.refresh_from_db()
        if run.state == Run.RECEIVED:
            complain([f"{path}: The run is stored, and its check did not end. An organiser can have it checked again."])
            return False
        complain([_described(path, problem) for problem in shown_problems(run)["shown"]])
        found = findings_in_words(run)
        self.stdout.write(f"{run.tag}: {run.state}, {number_of(run.lines or 0, 'line')}, {found}, SHA-256 {run.sha256}")
        return run.state == Run.VALID


def _answers(given: list[str]) -> dict[str, str]:
    answers = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals:
            raise CommandError(f"--answer {pair}: write it as key=value.")
        answers[key.strip()] = value.strip()
    return answers


def _described(path: Path, problem: RunProblem) -> str:
    place = f"{path}:{problem.line}" if problem.line else str(path)
    return f"{place}: {problem.severity}: {problem.message} {problem.remedy}"


def _team(actor: User, task: Task, name: str, *, create: bool, accept: bool) -> Team:
    team = Team.objects.filter(name=name).first()
    if team is None and create:
        team = team_create(actor=actor, name=name)
    if team is None:
        raise CommandError(f"There is no team “{name}”. Found it first, or add --create-team.")
    accepted = list(missing_agreements(team, task.campaign)) if accept else []
    if create:
        team_register(actor=actor, team=team, campaign=task.campaign, accepted=accepted)
    if accepted:
        agreements_accept(actor=actor, team=team, campaign=task.campaign, agreements=accepted)
    return team
