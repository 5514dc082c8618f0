from django.apps import AppConfig


class PoolingConfig(AppConfig):
    name = "pooling"
    verbose_name = "Pooling"

    def ready(self) -> None:
        from campaign.collection.services.imports import import_with
        from campaign.models import Import
        from campaign.rooms import show_room
        from campaign.runs.selectors.pooled import tell_pools_with
        from campaign.verification import verify_with
        from campaign.waiting import tell
        from pooling import archive
        from pooling.selectors.pools_of_run import pools_of_run
        from pooling.selectors.rooms import pools_room
        from pooling.selectors.verified import verify_pools
        from pooling.selectors.waiting import pools_to_freeze
        from pooling.services.imports import POOL_JOBS

        import_with(Import.POOL, POOL_JOBS)
        tell_pools_with(pools_of_run)
        tell("organiser", pools_to_freeze)
        show_room(pools_room)
        verify_with("pools", verify_pools)
        archive.declare()
