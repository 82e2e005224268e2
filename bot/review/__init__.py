"""Looking back: what rolls and decisions changed, charts and the record of dice."""
