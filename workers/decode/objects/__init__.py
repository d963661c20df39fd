"""Objects of Kubernetes and of container runtimes, as JSON: which addresses are whose, and since when."""
