"""What a command does, whatever the front."""
