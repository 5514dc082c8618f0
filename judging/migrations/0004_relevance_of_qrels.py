import django.core.validators
from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    """Versions that are here counted relevant documents from grade 1 and scored all their topics."""

    dependencies = [("judging", "0003_written_once")]

    operations = [
        migrations.AddField(
            model_name="qrels",
            name="lowest_relevant_grade",
            field=models.PositiveSmallIntegerField(
                default=1,
                help_text="From which grade `relevant_count` counts: that of the task when this version was released.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
        migrations.AddField(
            model_name="qrels",
            name="topics_not_scored",
            field=models.JSONField(
                blank=True, default=list, help_text="Judged topics that the organiser left out of the scores."
            ),
        ),
        RefuseSecondWrite("qrels", changeable=["published_at"]),
    ]
