"""Which frozen pools a run is in, in words for its page: told to its team and the organisers."""

from campaign.models import Run
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
    if spec is not None and not spec.takes(run.tag, run.priority):
        return f"{missing}, for which the organisers chose other runs."
    if run.state_changed_at > latest.frozen_at:
        return f"{missing}, which was frozen before the run was accepted."
    return f"{missing}."
