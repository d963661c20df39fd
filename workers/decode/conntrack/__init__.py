"""Lines of connection tracking, scanned by compiled code: a node at its limit lists a million of them."""
