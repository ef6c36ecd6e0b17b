"""The smallest package that passes everything: both draw a number, the higher one wins."""

from __future__ import annotations

import json

MANIFEST = """
name = "toss"
version = "1.0.0"
sdk = ">=1,<2"

[[rule_sets]]
name = "toss"
entry = "games.toss.rules:Toss"
cases = "games.toss.cases:OPERATIONS"
title = { zh = "掷币", en = "Toss" }

[[rule_sets.rooms]]
id = "toss.novice"
title = { zh = "掷币 新手场", en = "Toss, novices" }
currency = "score"
"""

HELP = "from games.toss import helper\n"

RULES = '''
"""Heads or tails."""

from __future__ import annotations

import hashlib
from games.toss.values import WORTH
from paiju.rules.api import CHANCE, SPECTATOR, Event, GameId, IllegalAction, Info, Outcome


class State:
    def __init__(self, game):
        self.game = game
        self.seen = []

    def to_act(self):
        return () if self.is_terminal() else (CHANCE,)

    def phase(self):
        return "toss"

    def deadlines(self):
        return ()

    def is_legal(self, seat, action):
        return seat == CHANCE and action in (0, 1) and not self.is_terminal()

    def legal_actions(self, seat):
        return ()

    def canonical(self, seat, action):
        return action

    def apply(self, seat, action):
        if not self.is_legal(seat, action):
            raise IllegalAction("wrong_phase")
        self.seen.append((seat, action))
        return [Event("toss", {"side": action})]

    def default_action(self, seat):
        raise IllegalAction("not_your_turn")

    def abandon(self, seat, reason):
        raise IllegalAction("not_your_turn")

    def sample_chance(self, rng):
        return rng.below(2)

    def view(self, seat):
        return {"phase": "toss", "to_act": [], "sides": [side for _, side in self.seen]}

    def resample(self, seat, rng):
        return self.clone()

    def hint(self, seat):
        raise IllegalAction("not_your_turn")

    def is_terminal(self):
        return len(self.seen) == 1

    def outcome(self):
        won = WORTH if self.seen[0][1] else -WORTH
        return Outcome("finished", (won, -won), (0, 0), 0, {}, None)

    def log(self):
        return list(self.seen)

    def dump(self):
        return repr((tuple(self.game.id), self.seen)).encode()

    def hash(self):
        return int.from_bytes(hashlib.sha256(self.dump()).digest()[:8], "big")

    def clone(self):
        other = State(self.game)
        other.seen = list(self.seen)
        return other


class Toss:
    name = "toss"
    info = Info(2, 2, False, True, False, True, True, 1)
    title = {"zh": "掷币", "en": "Toss"}
    parameters = {}

    def __init__(self, parameters=None):
        if parameters:
            raise ValueError("toss has no parameters")
        self.id = GameId("toss", 1, "{}")

    def new_state(self, seats, *, wealth=None, carry=None):
        return State(self)

    def load(self, blob):
        for seen in ([], [(CHANCE, 0)], [(CHANCE, 1)]):
            state = State(self)
            state.seen = seen
            if state.dump() == blob:
                return state
        raise ValueError("not a snapshot of toss")

    def parse(self, state, seat, text):
        if text not in ("0", "1"):
            raise IllegalAction("syntax")
        return int(text)

    def format(self, action):
        return str(action)

    def message(self, code, params, locale):
        return code

    def legal_in_view(self, view):
        return ()

    def bot(self):
        return None
'''

CASES = '''
"""worth: what a toss is worth."""

from games.toss.values import WORTH

OPERATIONS = {"worth": lambda case: WORTH}
'''


def files(*, version: str = "1.0.0", worth: int = 5, **more: str) -> dict[str, bytes]:
    """more: path with __ for / and _dot_ for . -> text; "" takes a file away."""
    case = {"id": "worth-1", "game": "toss", "op": "worth", "expect": worth}
    made = {
        "manifest.toml": MANIFEST.replace("1.0.0", version),
        "__init__.py": "",
        "rules.py": RULES,
        "values.py": f"WORTH = {worth}\n",
        "cases.py": CASES,
        "cases.jsonl": json.dumps(case) + "\n",
        "help.en.md": "# Toss\n",
    }
    return {path: text.encode() for path, text in {**made, **more}.items()}
