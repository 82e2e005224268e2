"""Dice by name: those of Kingdom Come, sets of them, and rolls that tell dice apart."""
