"""The web front: pages to ask, explore and play, and the same answers as JSON."""
