"""Takes round-trip samples from the rows that the packet loop has filled."""
