"""The compiled packet loop: record, link, network and transport header and connection table, in one pass."""
