"""Packets on one clock: which are the same packet at several vantage points."""
