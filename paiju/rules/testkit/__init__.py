"""The conformance kit: what every game must satisfy, over random hands.

`run_kit(game, hands=..., seed=...)` plays random hands and checks at every step what tables,
replays, clients and players rely on. It returns what it saw; `Violation` says which promise
a game broke, in which hand and after which actions.
"""

from paiju.rules.testkit._kit import Report, Violation, run_kit

__all__ = ["Report", "Violation", "run_kit"]
