"""Opinions: one folder each, found by name. No detector knows another."""
