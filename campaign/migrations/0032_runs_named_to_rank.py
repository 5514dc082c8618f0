from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0031_rounds_policy_and_what_counts")]

    operations = [
        migrations.AddField(
            model_name="run",
            name="is_ranked",
            field=models.BooleanField(
                default=True, editable=False, help_text="Whether its team wants it ranked: named before publication."
            ),
        ),
    ]
