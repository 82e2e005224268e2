"""Heavy work that people ask for: in turns, within limits, in processes that can be stopped."""
