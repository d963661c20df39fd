"""The compiled part: packets rewritten header by header. Only what is understood is copied."""
