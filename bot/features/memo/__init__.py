"""Tables to learn by heart."""

COMMAND_LINE: dict[str, str] = {"memo": "cli.memo"}
