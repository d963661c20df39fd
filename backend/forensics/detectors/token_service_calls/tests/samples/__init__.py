"""Samples: see `backend.forensics.tests.samples`."""
