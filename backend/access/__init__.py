"""Who may do what: members, sign-ins, tokens, and the rule of each route. Knows no HTTP framework."""
