"""SYNs on a 4-tuple that an earlier connection had used, and whether these suffer more than others."""
