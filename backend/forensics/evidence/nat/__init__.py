"""Translated connections: ports, leases, services and their servers."""
