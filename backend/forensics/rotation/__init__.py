"""Rotated parts of one capture (tcpdump -C, -W and -G, dumpcap's ring buffer): found, and joined into one capture."""
