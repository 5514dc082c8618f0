"""Words only: what the stored scores say of topics that a run misses."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0005_order_of_runs")]

    operations = [
        migrations.AlterField(
            model_name="evaluation",
            name="means",
            field=models.JSONField(help_text="Measure to its one number over the topics that are not left out."),
        ),
        migrations.AlterField(
            model_name="evaluation",
            name="unjudged_at_10",
            field=models.FloatField(
                help_text="Share of the first 10 documents that are not judged, mean over the answered topics.", null=True
            ),
        ),
        migrations.AlterField(
            model_name="evaluation",
            name="values",
            field=models.BinaryField(
                help_text="float64, little-endian, measures by topics of the qrels; NaN: left out."
            ),
        ),
    ]
