"""Many rule sets: what is to be solved, on this machine or on a cluster."""
