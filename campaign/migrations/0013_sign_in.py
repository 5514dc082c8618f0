"""The table of the shared cache; and addresses of accounts that an operator's command made count as confirmed.

Until now only a sign-up made rows for addresses.
"""

from django.core.management import call_command
from django.db import migrations


def make_cache_table(apps, schema_editor):
    """So that `migrate` suffices. A table that is there is left as it is."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


def confirm_addresses_from_commands(apps, schema_editor):
    user_model = apps.get_model("campaign", "User")
    address_model = apps.get_model("account", "EmailAddress")
    taken = {email.lower() for email in address_model.objects.values_list("email", flat=True)}
    for user in user_model.objects.exclude(email="").filter(emailaddress__isnull=True).order_by("pk"):
        email = user.email.lower()
        if email not in taken:  # an address that somebody signed up with is its owner's to confirm
            taken.add(email)
            address_model.objects.create(user=user, email=email, verified=True, primary=True)


class Migration(migrations.Migration):
    dependencies = [
        ("campaign", "0011_rendered_text"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [
        migrations.RunPython(make_cache_table, migrations.RunPython.noop),
        migrations.RunPython(confirm_addresses_from_commands, migrations.RunPython.noop),
    ]
