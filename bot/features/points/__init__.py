"""What rules are like: a turn for the most points, and the fair start."""

COMMAND_LINE: dict[str, str] = {"points": "cli.points", "komi": "cli.komi_command"}
