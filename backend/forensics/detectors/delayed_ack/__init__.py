"""Small writes that wait for the timer of a delayed ACK (Nagle)."""
