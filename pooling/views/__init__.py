from pooling.views.builder import pool_create, pool_differences, pool_preview
from pooling.views.growth import pool_choices, pool_topic, pool_topics
from pooling.views.pools import pool_card, pool_detail, pool_docnos, pool_download, pool_list, pool_sample_download

__all__ = [
    "pool_card",
    "pool_choices",
    "pool_create",
    "pool_detail",
    "pool_differences",
    "pool_docnos",
    "pool_download",
    "pool_list",
    "pool_preview",
    "pool_sample_download",
    "pool_topic",
    "pool_topics",
]
