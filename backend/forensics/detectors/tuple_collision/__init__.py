"""SYNs lost because two sources wanted one translated tuple at the same moment."""
