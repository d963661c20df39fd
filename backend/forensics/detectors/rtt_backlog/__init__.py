"""Answers that come back in groups because a queue stood still."""
