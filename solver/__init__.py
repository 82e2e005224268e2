"""The mathematics of Farkle: house rules in, win probabilities out. Knows nothing of chat."""
