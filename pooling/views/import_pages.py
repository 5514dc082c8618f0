"""The pages on which a pool that was made elsewhere is imported."""

from typing import Any, Final

from campaign.collection.views.import_pages import ImportPages
from campaign.models import Import, Task
from campaign.setup.selectors.phases import moves_on
from campaign.setup.selectors.schedule import uploads_end
from pooling.forms import PoolImportForm
from pooling.selectors.pools import latest_pool
from pooling.services.imports import POOL_JOBS


def _list_url(task: Task) -> str:
    return task.url("pool_list")


def _context(task: Task) -> dict[str, Any]:
    return {"pool": latest_pool(task), "moves_on": [*moves_on(task, Task.JUDGING), *uploads_end(task)]}


POOL_PAGES: Final = {
    Import.POOL: ImportPages(
        form=PoolImportForm,
        jobs=POOL_JOBS,
        url_names="pool_import",
        create_url=lambda task: task.url("pool_import"),
        cancel_url=_list_url,
        url_after_discarding=_list_url,
        create_template="pooling/pool_import.html",
        detail_template="pooling/pool_import_detail.html",
        preview="pooling/_import_preview.html",
        ready="pooling/_import_ready.html",
        done="pooling/_import_done.html",
        noun="line",
        verb="Freeze",
        working="Freezing the pool",
        nothing="No pool was frozen.",
        context=_context,
    )
}
