from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    verbose_name = "Pooling"

    def ready(self) -> None:
        from campaign.waiting import tell
        from pooling.selectors.waiting import pools_to_freeze

        tell("organiser", pools_to_freeze)
