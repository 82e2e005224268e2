"""Loaded dice and badges by name: who wins with which, and which to take or buy."""

COMMAND_LINE: dict[str, str] = {"kcd": "cli.kcd"}
