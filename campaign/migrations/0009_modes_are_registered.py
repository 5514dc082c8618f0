from django.db import migrations, models

import campaign.modes

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]


def name_the_measures(apps, schema_editor):
    """A task without measures of its own was scored by these, whatever its mode: it stays so."""
    apps.get_model("campaign", "Task").objects.filter(measures=[]).update(measures=MEASURES)


class Migration(migrations.Migration):
    dependencies = [("campaign", "0008_job_names")]

    operations = [
        migrations.RemoveConstraint(model_name="task", name="task_mode_is_known"),
        migrations.AlterField(
            model_name="task",
            name="judging_mode",
            field=models.CharField(choices=campaign.modes.mode_choices, default="graded", max_length=20),
        ),
        migrations.RunPython(name_the_measures, migrations.RunPython.noop),
    ]
