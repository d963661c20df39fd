"""Round trips, and the groups of them that were delayed together."""
