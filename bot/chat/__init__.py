"""The commands of the chat as lines of text, for every front."""
