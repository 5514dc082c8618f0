from pooling.models.growth import PoolChoice, TopicStop
from pooling.models.pools import FrozenPool, Pool, PoolEntry, PoolRun
from pooling.models.searches import DuplicateSearch, Search, Twin

__all__ = [
    "DuplicateSearch",
    "FrozenPool",
    "Pool",
    "PoolChoice",
    "PoolEntry",
    "PoolRun",
    "Search",
    "TopicStop",
    "Twin",
]
