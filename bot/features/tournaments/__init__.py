"""Tournaments of people in a place: round-robin or knock-out."""

COMMAND_LINE: dict[str, str] = {}
