"""ICMP errors, joined to the connections that they end."""
