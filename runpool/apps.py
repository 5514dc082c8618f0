import gc

from django.apps import AppConfig
from django.core import checks

from campaign.version import OF_VERSION


class RunpoolConfig(AppConfig):
    name = "runpool"
    verbose_name = "Runpool"

    def ready(self) -> None:
        import runpool.celery  # noqa: F401 - jobs are sent by the app that is made there
        from runpool import site_key
        from runpool.checks import SETTINGS, check_bucket, check_deployment, check_settings, check_version
        from runpool.start import AT_START

        checks.register(check_settings, SETTINGS)
        checks.register(check_version, SETTINGS, OF_VERSION)
        checks.register(check_deployment, checks.Tags.security, deploy=True)
        checks.register(check_bucket, AT_START, deploy=True)
        checks.register(site_key.check_key, AT_START, deploy=True)
        _look_for_garbage_again()


def _look_for_garbage_again() -> None:
    """The last app is ready: what is there stays, and processes that fork share it."""
    gc.freeze()
    gc.enable()
