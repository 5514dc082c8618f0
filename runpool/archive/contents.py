"""What archives keep. Every model of the apps is here once: as a table that is kept, or left out with the reason.

The order of the tables is that of writing and of restoring: a row comes after those that it refers to.
"""

from django.db.models import Model

from runpool.archive.table import Extra, Table
from runpool.archive.tables import campaign, evaluation, judging, pooling

TABLES: tuple[Table, ...] = (*campaign.TABLES, *pooling.TABLES, *judging.TABLES, *evaluation.TABLES)
TABLES_OF_CAMPAIGNS = [table for table in TABLES if not table.within]
TABLES_OF_TASKS = [table for table in TABLES if table.within]
LEFT_OUT: dict[type[Model], str] = {**campaign.LEFT_OUT, **judging.LEFT_OUT, **evaluation.LEFT_OUT}
EXTRAS: tuple[Extra, ...] = (*campaign.EXTRAS, pooling.pool_files, evaluation.score_files)
