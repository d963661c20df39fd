"""Before anything is called absent: what must not hold, so that a packet is lost, a SYN unanswered or a host silent.

Every detector and cause that rests on absence asks here."""
