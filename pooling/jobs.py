from typing import Any

from django.core.exceptions import ValidationError

from campaign.models import Task, User
from campaign.tasking import JobFailed, Progress, job
from pooling.selectors.pools import FREEZE_POOL
from pooling.services.pools import pool_freeze
from pooling.strategies.parameters import PoolSpecError
from pooling.strategies.spec import PoolSpec


@job(FREEZE_POOL)
def freeze_pool(progress: Progress, *, task_id: int, actor_id: int, spec: dict[str, Any]) -> None:
    """Safe to run twice: freezing the same pool again gives the version that is there."""
    task = Task.objects.select_related("campaign").get(pk=task_id)
    try:
        pool_freeze(actor=User.objects.get(pk=actor_id), task=task, spec=PoolSpec.from_json(spec))
    except ValidationError as problem:
        raise JobFailed(" ".join(problem.messages)) from problem
    except PoolSpecError as problem:  # asked for by a version of the site that has other strategies
        raise JobFailed(str(problem)) from problem
