"""A connection-tracking table that is full, or will be soon."""
