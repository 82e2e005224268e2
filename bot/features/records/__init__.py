"""What games leave behind: reviews, records of people and dice, proofs, matches of bots."""

COMMAND_LINE: dict[str, str] = {}
