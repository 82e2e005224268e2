"""The advisor in the chat: commands, what they answer, and the fronts where they are typed."""
