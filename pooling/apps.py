from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    verbose_name = "Pooling"

    def ready(self) -> None:
        from campaign.collection.services.imports import import_with
        from campaign.models import Import
        from campaign.runs.selectors.pooled import tell_pools_with
        from pooling.selectors.pools_of_run import pools_of_run
        from pooling.services.imports import POOL_JOBS

        import_with(Import.POOL, POOL_JOBS)
        tell_pools_with(pools_of_run)
