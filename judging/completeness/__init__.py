"""What a pool found and what it missed, by the judgments of its documents."""
