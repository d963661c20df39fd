"""Names of addresses: who had an address at a moment, by listings of a cluster and by DNS answers of the capture."""
