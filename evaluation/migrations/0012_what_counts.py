from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    dependencies = [("campaign", "0032_runs_named_to_rank"), ("evaluation", "0011_trust")]

    operations = [
        migrations.RemoveConstraint(model_name="workingboard", name="working_board_once_per_set"),
        migrations.AddField(
            model_name="evaluation",
            name="left_out",
            field=models.JSONField(
                blank=True,
                default=list,
                help_text="Topics of the qrels that enter none of the numbers but `values`: removed from scoring, or for feedback.",
            ),
        ),
        migrations.AddField(
            model_name="evaluation",
            name="missed",
            field=models.JSONField(
                help_text="Topics of the qrels that the run does not answer; null: not kept.", null=True
            ),
        ),
        migrations.AddField(
            model_name="workingboard",
            name="scope",
            field=models.CharField(
                blank=True,
                choices=[("", "topics that count"), ("feedback", "topics for feedback")],
                default="",
                max_length=8,
                verbose_name="over which topics",
            ),
        ),
        migrations.AddConstraint(
            model_name="workingboard",
            constraint=models.UniqueConstraint(
                fields=("task", "set_name", "scope"), name="working_board_once_per_set_and_scope"
            ),
        ),
        RefuseSecondWrite("evaluation", may_be_deleted=True),
    ]
