"""The compiled packet loop: record header, link, network and transport header, connection table, in one pass."""
