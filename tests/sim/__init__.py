"""The deterministic simulation: docs/contracts/simulation.md."""
