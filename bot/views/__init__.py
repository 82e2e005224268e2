"""Replies as people read them."""
