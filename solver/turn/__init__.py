"""One turn: dice, what they score, and the equations of a turn."""
