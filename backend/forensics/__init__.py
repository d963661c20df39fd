"""Pure analysis: facts about packets and dumps in, findings and diagnoses out. No web, no database, no
clock."""
