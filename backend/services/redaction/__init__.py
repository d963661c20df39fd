"""What a link shows whose maker wants names of machines, files and requests kept to himself."""
