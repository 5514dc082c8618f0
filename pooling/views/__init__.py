from pooling.views.builder import pool_create, pool_preview
from pooling.views.pools import pool_card, pool_detail, pool_download, pool_list

__all__ = ["pool_card", "pool_create", "pool_detail", "pool_download", "pool_list", "pool_preview"]
