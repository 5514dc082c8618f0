import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0006_depth_of_checked_runs")]

    operations = [
        migrations.AlterField(
            model_name="task",
            name="questions",
            field=models.JSONField(
                blank=True, default=list, help_text="What is asked about each run, as read_questions takes it."
            ),
        ),
        migrations.AlterField(
            model_name="job",
            name="name",
            field=models.CharField(help_text="Of the job: @job(name) in some room's jobs.", max_length=100),
        ),
        migrations.AddField(
            model_name="job",
            name="run",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="jobs", to="campaign.run"
            ),
        ),
        migrations.AddField(
            model_name="job",
            name="task",
            field=models.ForeignKey(
                null=True, on_delete=django.db.models.deletion.CASCADE, related_name="jobs", to="campaign.task"
            ),
        ),
    ]
