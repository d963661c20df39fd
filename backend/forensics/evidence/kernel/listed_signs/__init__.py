"""What single listings show by themselves: a rule that rejects, an entry that nobody answers for, a traced drop."""
