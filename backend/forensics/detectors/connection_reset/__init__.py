"""Connections that were ended by RST: by whom, after what."""
