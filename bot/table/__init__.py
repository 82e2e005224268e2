"""The live game: events, state as their fold, commands that check and return events."""
