from django.db import migrations, models

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    """In versions that are here, no document was judged for others."""

    dependencies = [("judging", "0006_claims"), ("pooling", "0007_duplicates")]

    operations = [
        migrations.AddField(
            model_name="qrels",
            name="twins_file",
            field=models.FileField(
                blank=True,
                help_text="topic docno representative: near-identical documents of which one was to be judged for all.",
                max_length=200,
                upload_to="",
            ),
        ),
        migrations.AddField(
            model_name="qrels",
            name="twins_sha256",
            field=models.CharField(
                blank=True, max_length=64, verbose_name="SHA-256 of the classes of near-identical documents"
            ),
        ),
        RefuseSecondWrite("qrels", changeable=["published_at"]),
    ]
