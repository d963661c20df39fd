"""What one connection's segments show: retransmissions, windows, silences."""
