"""What the causes of slow lookups have in common: whom they concern, what was lost where, what is asked for next."""
