"""Simulated players, and what they measure."""
