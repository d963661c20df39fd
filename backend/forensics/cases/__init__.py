"""What detectors found, as types: causes weigh these, presenters turn them into the findings of the report."""
