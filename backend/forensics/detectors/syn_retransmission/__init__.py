"""SYNs that had to be sent again: which schedule, how long users waited, where the SYN was last seen."""
