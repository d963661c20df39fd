"""Feeds the decoder with bytes that nobody would send in good faith; see docs/fuzzing.md."""
