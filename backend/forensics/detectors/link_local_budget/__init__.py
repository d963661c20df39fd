"""More packets to link-local services of the cloud than a network interface may send."""
