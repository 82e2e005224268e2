"""Where commands are typed: each front parses, calls one service and shows one view."""
