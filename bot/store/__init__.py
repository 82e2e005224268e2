"""Games as they were played: every event, kept for good in one SQLite file."""
