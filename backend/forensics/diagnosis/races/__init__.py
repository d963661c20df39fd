"""Two connections that want one translated tuple at the same moment: what source NAT and service addresses share."""
