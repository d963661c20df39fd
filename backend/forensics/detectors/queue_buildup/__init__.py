"""Round trips that grow while a queue fills up and fall while it drains."""
