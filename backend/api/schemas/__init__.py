"""Shapes of requests and answers, the source of the page's types."""
