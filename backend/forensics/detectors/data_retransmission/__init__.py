"""Data that was sent again, where somebody waited for it."""
