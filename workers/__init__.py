"""Everything that touches packets: decoding, analysis runs, background jobs and the command line."""
