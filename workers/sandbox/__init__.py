"""Child processes that work on uploads, and what the parent believes of what they say.

A launcher without any secret is started once, by executing the interpreter anew with an empty environment. It imports
what the work needs and forks a child for each piece of work. The child gives up everything but the files of that piece
(`workers.confinement`), answers in a fixed format that is checked (`works`), and ends; nothing of it is there when the
next file comes."""

from __future__ import annotations

from workers.sandbox.pool import ChildDied, ChildPool, Costs
from workers.sandbox.works import Access, Notify, child_work

__all__ = ["Access", "ChildDied", "ChildPool", "Costs", "Notify", "child_work"]
