from pooling.selectors.pools import pool_table
from pooling.selectors.previews import PoolPreview, pool_preview

__all__ = ["PoolPreview", "pool_preview", "pool_table"]
