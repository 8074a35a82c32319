"""Many files: one function for each, in a pool of processes or on a cluster."""
