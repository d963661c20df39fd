"""Finding `token-service-calls`: see rule.md."""
