"""One cause a file, found by name: `CAUSE`, `TITLE` and `assess(facts, findings)`."""
