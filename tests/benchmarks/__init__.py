"""Speed and memory; nothing here is a test."""
