"""Explanations: one file a cause, weighed by evidence for and against."""
