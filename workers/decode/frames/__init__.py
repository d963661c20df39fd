"""Single frames of a capture on demand: found, freed of credentials, dissected, filtered, carved."""
