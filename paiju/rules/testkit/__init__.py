"""The conformance kit: what every game must satisfy, over random hands.

`run_kit` plays random hands and checks at every step what tables, replays, clients and
players rely on; `run_light` plays many hands with few checks; `measure_mixing` measures
whether `resample` mixes the hidden cards. Each says what it saw, or raises `Violation`: which
promise a game broke, in which hand and after which actions.

| module | promises |
|---|---|
| `_actions` | lists, legality, text, refusals, defaults |
| `_claims` | actions out of turn |
| `_secrets` | what a viewer can tell |
| `_identity` | snapshots, replays, clones, patches, records, outcomes |
| `_cards` | no card is lost or doubled; sampled worlds differ |
| `_mixing` | each hidden card is sampled at each hidden place |
"""

from paiju.rules.testkit._kit import run_kit, run_light
from paiju.rules.testkit._mixing import Mixing, measure_mixing
from paiju.rules.testkit._report import Report, Violation

__all__ = ["Mixing", "Report", "Violation", "measure_mixing", "run_kit", "run_light"]
