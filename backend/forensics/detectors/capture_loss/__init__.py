"""Packets that the capture itself missed: what it cannot prove."""
