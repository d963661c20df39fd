"""Lookups: what an application asked a resolver for, over all queries, retries and vantage points that it took."""
