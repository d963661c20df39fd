"""New connections that IPVS sends to a real server of weight 0, or to one already removed."""
