from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    verbose_name = "Pooling"

    def ready(self) -> None:
        from campaign.runs.selectors.pooled import tell_pools_with
        from campaign.waiting import tell
        from pooling.selectors.pools_of_run import pools_of_run
        from pooling.selectors.waiting import pools_to_freeze

        tell_pools_with(pools_of_run)
        tell("organiser", pools_to_freeze)
