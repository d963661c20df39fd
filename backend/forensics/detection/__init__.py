"""The machinery that finds and runs detectors; it holds no opinion of its own."""
