from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0018_job_queue")]

    operations = [
        migrations.CreateModel(
            "LastSeen",
            [
                ("name", models.CharField(max_length=20, primary_key=True, serialize=False)),
                ("at", models.DateTimeField()),
            ],
        ),
    ]
