"""Source NAT ran out of ports towards a destination, or is about to."""
