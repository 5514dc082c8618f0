from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0016_damaged_files")]

    operations = [
        migrations.AddField("job", "queue", models.CharField(max_length=20, default="celery", db_default="celery")),
        migrations.AddField(
            "job",
            "request_id",
            models.CharField(
                max_length=64, default="-", db_default="-", help_text="Of the web request that asked for it first."
            ),
        ),
    ]
