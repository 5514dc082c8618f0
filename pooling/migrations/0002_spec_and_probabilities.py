from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("pooling", "0001_initial")]

    operations = [
        migrations.RenameField(model_name="pool", old_name="parameters", new_name="spec"),
        migrations.AlterField(
            model_name="pool",
            name="spec",
            field=models.JSONField(default=dict, help_text="How it was drawn, as PoolSpec.to_json gives it."),
        ),
        migrations.AddField(
            model_name="poolentry",
            name="inclusion_probability",
            field=models.FloatField(
                blank=True,
                null=True,
                help_text="In (0, 1], with which the document was drawn; null where nothing was sampled.",
            ),
        ),
        migrations.AlterField(
            model_name="poolentry",
            name="run_count",
            field=models.PositiveIntegerField(help_text="Pooled runs that bring the document in."),
        ),
        migrations.AlterField(
            model_name="poolrun",
            name="contributed",
            field=models.PositiveIntegerField(help_text="Pooled pairs that this run brings in."),
        ),
        migrations.AlterField(
            model_name="poolrun",
            name="unique",
            field=models.PositiveIntegerField(help_text="Pooled pairs that only this run's team brings in."),
        ),
        # The next migration removes it; whoever goes back gets it with this value first.
        migrations.AlterField(model_name="poolrun", name="depth", field=models.PositiveIntegerField(default=0)),
    ]
