"""Metadata calls: how many, how slow, and whether they lie inside the requests that the caller serves."""
