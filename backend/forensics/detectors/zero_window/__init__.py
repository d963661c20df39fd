"""Receivers whose application stopped reading."""
