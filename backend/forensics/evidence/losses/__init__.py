"""What lost packets have in common: hosts, links, times, segments."""
