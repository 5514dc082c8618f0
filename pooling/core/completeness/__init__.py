"""PURE: what a pool found and what it missed, once documents of it are judged.

All modules take the pool's entries as one table, a row per (topic, docno): topic (String or Enum), docno (String),
best_position (the best that a pooled run gives it; 0 where none holds it), stratum and inclusion_probability (null where
nothing was sampled), and relevant (Boolean; null: no grade yet), as `judged_entries` adds it.
"""
