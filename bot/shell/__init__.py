"""What commands of the command line share: rules and positions as options, what they print."""
