"""Tournaments of people in a place: all against all, or knock-out."""

COMMAND_LINE: dict[str, str] = {}
