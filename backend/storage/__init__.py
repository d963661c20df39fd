"""The only place that knows SQL or files."""
