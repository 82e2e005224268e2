"""Positions to look at: a turn as a picture, and a walk through all positions."""

COMMAND_LINE: dict[str, str] = {}
