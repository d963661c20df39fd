"""Picks the packets at which a connection had a TCP anomaly or woke up, while decoding."""
