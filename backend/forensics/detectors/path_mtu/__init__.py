"""Segments too large for the way, of which nobody is informed."""
