import django.db.models.deletion
from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    dependencies = [("judging", "0002_details_of_judgments")]

    operations = [
        migrations.AlterField(
            model_name="qrels",
            name="task",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.PROTECT, related_name="qrels", to="campaign.task"
            ),
        ),
        RefuseSecondWrite("judgment", changeable=["is_current"]),
        RefuseSecondWrite("qrels", changeable=["published_at"]),
    ]
