"""A person at a table, in the terminal."""
