"""Positions that ask for a decision: one a day in each place, and some to practise on."""

COMMAND_LINE: dict[str, str] = {}
