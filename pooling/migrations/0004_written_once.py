import django.db.models.deletion
from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


def protected(model_name, name, to, related_name):
    field = models.ForeignKey(on_delete=django.db.models.deletion.PROTECT, related_name=related_name, to=to)
    return migrations.AlterField(model_name=model_name, name=name, field=field)


class Migration(migrations.Migration):
    dependencies = [("pooling", "0003_parameters_of_the_strategy")]

    operations = [
        migrations.AlterModelOptions(
            name="poolentry",
            options={"ordering": ["pool", "topic", "position"], "verbose_name_plural": "pool entries"},
        ),
        protected("pool", "task", "campaign.task", "pools"),
        protected("poolrun", "pool", "pooling.pool", "pool_runs"),
        protected("poolentry", "pool", "pooling.pool", "entries"),
        RefuseSecondWrite("pool"),
        RefuseSecondWrite("poolrun"),
        RefuseSecondWrite("poolentry"),
    ]
