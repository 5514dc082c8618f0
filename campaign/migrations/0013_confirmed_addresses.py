"""Addresses of accounts that an operator's command made count as confirmed: until now only a sign-up made rows for addresses."""

from django.db import migrations


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
        ("campaign", "0010_audit_is_written_once"),
        ("account", "0009_emailaddress_unique_primary_email"),
    ]

    operations = [migrations.RunPython(confirm_addresses_from_commands, migrations.RunPython.noop)]
