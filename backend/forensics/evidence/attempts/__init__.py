"""Connection attempts: their SYNs, their answers, their delays."""
