from pathlib import Path

from django.conf import settings
from django.core.management import call_command


def collect_first() -> None:
    """In a new data folder, where else no page could be shown. The application that is made next looks for them once."""
    from campaign.storage.disk import locked_folder  # no model can be imported before the apps are ready

    manifest = Path(settings.STATIC_ROOT) / "staticfiles.json"
    if manifest.exists():
        return
    with locked_folder(Path(settings.DATA_DIR), alone=True):  # several processes start together
        if not manifest.exists():
            call_command("collectstatic", interactive=False, verbosity=0)
