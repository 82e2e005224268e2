"""The one way to solve in another process."""
