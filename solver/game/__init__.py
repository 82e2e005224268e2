"""The game: standings and positions, how it ends, and its solution by sweeps."""
