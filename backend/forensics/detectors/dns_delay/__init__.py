"""Lookups that waited: queries sent again, without an answer, or answered late."""
