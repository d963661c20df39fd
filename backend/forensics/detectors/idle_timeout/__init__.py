"""Connections that were gone when somebody used them again after a silence."""
