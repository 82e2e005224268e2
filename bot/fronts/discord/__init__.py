"""The Discord front: slash commands and buttons for the same commands as on the console."""
