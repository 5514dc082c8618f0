from django.db import migrations, models


class Migration(migrations.Migration):
    """Existing tasks keep the order by which their runs were scored: by score, in single precision."""

    dependencies = [("campaign", "0020_time_of_the_last_byte")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="reference",
            field=models.CharField(
                choices=[
                    ("9", "9: scores compared in single precision, what most published numbers come from"),
                    ("10", "10: in double precision; recall levels rounded to the nearest document"),
                ],
                default="9",
                max_length=10,
                verbose_name="reference release of trec_eval",
            ),
        ),
        migrations.AddField(
            model_name="task",
            name="run_order",
            field=models.CharField(
                choices=[
                    ("score", "score; equal scores by docno"),
                    ("rank", "rank column; equal ranks by score, then docno"),
                    ("line", "lines as they stand in the file"),
                ],
                default="score",
                max_length=10,
                verbose_name="documents of a run ordered by",
            ),
        ),
    ]
