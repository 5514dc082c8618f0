from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    dependencies = [("evaluation", "0003_unjudged_at_10"), ("judging", "0003_written_once")]

    operations = [
        migrations.AlterField(
            model_name="evaluation", name="scored_at", field=models.DateTimeField(auto_now_add=True)
        ),
        RefuseSecondWrite("evaluation", may_be_deleted=True),
        RefuseSecondWrite("leaderboard"),
    ]
