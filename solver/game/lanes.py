"""How many states are solved side by side."""

LANES = 16
"""States that are solved side by side; two AVX-512 registers of float64."""
