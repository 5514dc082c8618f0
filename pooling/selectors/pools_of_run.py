"""Which frozen pools a run is in, in words for its page: told to its team and the organisers."""

from campaign.models import Run
from campaign.text.plurals import number_of
from pooling.models import Pool


def pools_of_run(run: Run) -> list[str]:
    """Sentences that are true now: the pools drawn from the run, and why the latest one leaves a valid run out."""
    pools = list(Pool.objects.filter(task=run.task_id))
    drawn = set(run.pool_runs.values_list("pool", flat=True))
    within = [str(pool.version) for pool in pools if pool.pk in drawn]
    lines = []
    if within:
        pools_named = f"pool {within[0]}" if len(within) == 1 else f"pools {', '.join(within[:-1])} and {within[-1]}"
        stays = "" if run.state == Run.VALID else "; its documents stay there"
        lines.append(f"This run was pooled in {pools_named}{stays}.")
    if run.state != Run.VALID:
        return lines
    if not pools:
        return ["No pool is frozen so far. A pool can take this run."]
    if pools[-1].pk not in drawn:
        lines.append(f"{_left_out(run, pools[-1])} A later pool can take it.")
    return lines


def _left_out(run: Run, latest: Pool) -> str:
    missing, spec = f"This run is not in pool {latest.version}", latest.drawn_with
    if spec is not None and spec.max_priority is not None and run.priority > spec.max_priority:
        return f"{missing}, which takes priorities up to {spec.max_priority}; the run has priority {run.priority}."
    if spec is not None and not spec.admits(run):
        return f"{missing}, for which the organisers chose other runs."
    if (
        spec is not None
        and spec.runs_per_team is not None
        and run not in spec.taken([run, *_pooled_of_team(run, latest)])
    ):
        most = number_of(spec.runs_per_team, "run")
        return f"{missing}, which takes at most {most} per team, by priority, then by tag."
    if run.state_changed_at > latest.frozen_at:
        return f"{missing}, which was frozen before the run was accepted."
    return f"{missing}."


def _pooled_of_team(run: Run, pool: Pool) -> list[Run]:
    return [pooled.run for pooled in pool.pool_runs.filter(run__team=run.team_id).select_related("run__team")]
