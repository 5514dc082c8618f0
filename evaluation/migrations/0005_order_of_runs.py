from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    """What is scored already was ordered by score, in single precision."""

    dependencies = [("evaluation", "0004_written_once")]

    operations = [
        migrations.AddField(
            model_name="evaluation",
            name="reference",
            field=models.CharField(
                choices=[("9", "single precision as trec_eval 9"), ("10", "double precision as trec_eval 10")],
                default="9",
                max_length=10,
                verbose_name="reference release of trec_eval",
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="run_order",
            field=models.CharField(
                choices=[
                    ("score", "score; equal scores by docno"),
                    ("rank", "rank column; equal ranks by score, then docno"),
                    ("line", "lines as they stand in the file"),
                ],
                default="score",
                max_length=10,
                verbose_name="documents ordered by",
            ),
        ),
        RefuseSecondWrite("evaluation", may_be_deleted=True),
    ]
