from django.db import migrations

from campaign.models.triggers import RefuseSecondWrite


class Migration(migrations.Migration):
    dependencies = [("campaign", "0009_modes_are_registered")]

    operations = [RefuseSecondWrite("auditevent")]
