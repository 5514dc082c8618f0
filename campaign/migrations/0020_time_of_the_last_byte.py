import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("campaign", "0019_last_seen")]

    operations = [
        migrations.AlterField(
            model_name="run",
            name="submitted_at",
            field=models.DateTimeField(
                default=django.utils.timezone.now,
                editable=False,
                help_text="When the last byte of the file had arrived.",
            ),
        ),
    ]
