import django.core.validators
from django.db import migrations, models


class Migration(migrations.Migration):
    """Tasks that are here keep grade 1, by which their runs were scored."""

    dependencies = [("campaign", "0021_order_of_runs")]

    operations = [
        migrations.AddField(
            model_name="task",
            name="lowest_relevant_grade",
            field=models.PositiveSmallIntegerField(
                default=1,
                help_text="Documents of this grade or above are relevant, for all measures that only know relevant or not.",
                validators=[django.core.validators.MinValueValidator(1)],
            ),
        ),
    ]
