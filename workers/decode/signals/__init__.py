"""Picks the packets at which a connection stumbled or woke up, while decoding."""
