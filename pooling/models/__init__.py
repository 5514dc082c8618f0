from pooling.models.beside import DuplicateSearch, Search, Twin
from pooling.models.growth import PoolChoice, TopicStop
from pooling.models.pools import FrozenPool, Pool, PoolEntry, PoolRun

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
