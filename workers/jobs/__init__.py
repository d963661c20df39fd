"""Workflows and steps of the job engine; they move facts between the store and the work."""
