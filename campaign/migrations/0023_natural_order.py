from typing import Any

from django.contrib.postgres.operations import CreateCollation
from django.db import migrations


class CreateInPostgreSQL(CreateCollation):
    """Nothing elsewhere, backwards as well."""

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        if schema_editor.connection.vendor == "postgresql":
            super().database_backwards(app_label, schema_editor, from_state, to_state)


class Migration(migrations.Migration):
    dependencies = [("campaign", "0022_lowest_relevant_grade")]

    operations = [CreateInPostgreSQL("natural", provider="icu", locale="und-u-kn-true")]
