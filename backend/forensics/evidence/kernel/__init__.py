"""What dumps of the kernel and of clusters show, by itself."""
