"""Answers that are late for their kind of request although the server had it at once."""
