"""The pages on which a pool that was made elsewhere is imported."""

from typing import Any, Final

from campaign.collection.services.repairs import topic_repairs
from campaign.collection.views.import_pages import pages_of
from campaign.models import Import, Task
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import uploads_end
from pooling.forms import PoolImportForm
from pooling.selectors.pools import latest_pool
from pooling.services.imports import POOL_JOBS


def _context(task: Task) -> dict[str, Any]:
    return {"pool": latest_pool(task), "moves_on": [*moves_on(task, Task.JUDGING), *uploads_end(task)]}


POOL_PAGES: Final = {
    Import.POOL: pages_of(
        PoolImportForm,
        POOL_JOBS,
        url_names="pool_import",
        list_name="pool_list",
        noun="line",
        verb="Freeze",
        working="Freezing the pool",
        nothing="No pool was frozen.",
        context=_context,
        repairs=topic_repairs,
    )
}
