"""Ways to play against each other, exactly."""

COMMAND_LINE: dict[str, str] = {"duel": "cli.duel", "best-response": "cli.best_response"}
