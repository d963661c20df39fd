"""Requests of applications and what their time went into."""
