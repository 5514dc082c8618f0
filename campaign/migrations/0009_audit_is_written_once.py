from django.db import migrations

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    dependencies = [("campaign", "0008_job_names")]

    operations = [RefuseSecondWrite("auditevent")]
