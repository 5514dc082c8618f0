from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    """Versions that are here hold no sample."""

    dependencies = [("judging", "0004_relevance_of_qrels")]

    operations = [
        migrations.AddField(
            model_name="qrels",
            name="sampled_by",
            field=models.CharField(
                blank=True,
                choices=[("stratum", "by strata"), ("probability", "with probabilities")],
                help_text="What the sample file has of each document, if there is one.",
                max_length=11,
            ),
        ),
        migrations.AddField(
            model_name="qrels", name="sample_file", field=models.FileField(blank=True, max_length=200, upload_to="")
        ),
        migrations.AddField(
            model_name="qrels",
            name="sample_sha256",
            field=models.CharField(blank=True, max_length=64, verbose_name="SHA-256 of the sample file"),
        ),
        RefuseSecondWrite("qrels", changeable=["published_at"]),
    ]
