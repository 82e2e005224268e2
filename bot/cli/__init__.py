"""The `farkle` command, a file for each of its commands."""
