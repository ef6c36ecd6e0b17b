"""Bots that play at the hall's tables."""
