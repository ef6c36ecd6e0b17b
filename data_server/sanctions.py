"""What follows from reports: pure decisions, no database, no clock.

A rule says: `count` reports of one kind about a player within a window -> an action. Reports
that a rule has already answered do not count for it again, so it answers every `count` of
them; of several rules that answer at once the hardest is carried out.

Reports of players about others are never counted: they are unproved words about somebody
else, and people read them. What a client says counts against its own session only.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from paiju.service.refusals import Refused

HOUR_US = 3600 * 10**6

NONE, WARN, FINE, FREEZE, BAN = "none", "warn", "fine", "freeze", "ban"
_HARDNESS = (WARN, FINE, FREEZE, BAN)
ACTIONS = frozenset(_HARDNESS)

PLAYER, CLIENT, GATEWAY, HOST = "player", "client", "gateway", "host"
PLAYERS_KINDS = frozenset({"cheat", "abuse", "collusion", "other"})  # of hall.proto's Report

MAX_RULES = 16  # of one kind
MAX_COUNT = 10_000
MAX_WINDOW_S = 90 * 86_400
MAX_FINE = 10**12
MAX_HOURS = 24 * 365
_KIND = re.compile(r"[a-z][a-z0-9_]{0,31}")


@dataclass(frozen=True, slots=True, order=True)
class Rule:
    """amount: coins of a fine, hours of a freeze, else 0."""

    kind: str
    count: int
    window_s: int
    action: str
    amount: int

    def __str__(self) -> str:
        return f"{self.count} x {self.kind} in {self.window_s} s"


def checked_kind(kind: str) -> str:
    """Refused BAD_REPORT unless it is lower case letters, digits and _, at most 32."""
    if not _KIND.fullmatch(kind):
        raise Refused("BAD_REPORT", detail="kind")
    return kind


def checked_action(action: str, amount: int) -> None:
    """Refused BAD_POLICY unless amount fits the action."""
    lowest, highest = {
        WARN: (0, 0),
        FINE: (1, MAX_FINE),
        FREEZE: (1, MAX_HOURS),
        BAN: (0, 0),
    }.get(action, (1, 0))
    if action not in ACTIONS:
        raise Refused("BAD_POLICY", detail=f"{action!r} is none of {', '.join(_HARDNESS)}")
    if not lowest <= amount <= highest:
        raise Refused("BAD_POLICY", detail=f"{action} with an amount of {amount}")


def checked_rules(kind: str, rules: Iterable[Rule]) -> list[Rule]:
    """The rules of one kind, by count. Refused BAD_POLICY."""
    if not _KIND.fullmatch(kind):
        raise Refused("BAD_POLICY", detail="a kind is lower case letters, digits and _")
    if kind in PLAYERS_KINDS:
        raise Refused("BAD_POLICY", detail=f"people decide about {kind!r}")
    checked = sorted(rules)
    if len(checked) > MAX_RULES:
        raise Refused("BAD_POLICY", detail=f"more than {MAX_RULES} rules")
    if len({rule.count for rule in checked}) != len(checked):
        raise Refused("BAD_POLICY", detail="two rules have the same count")
    for rule in checked:
        if rule.kind != kind:
            raise Refused("BAD_POLICY", detail=f"a rule of {rule.kind!r}")
        if not (1 <= rule.count <= MAX_COUNT and 1 <= rule.window_s <= MAX_WINDOW_S):
            raise Refused("BAD_POLICY", detail=f"{rule}")
        checked_action(rule.action, rule.amount)
    return checked


def verdict(rules: Iterable[Rule], seen: Mapping[int, int]) -> Rule | None:
    """The rule that answers now. seen: by the count of a rule, how many reports it has before
    it that it has not answered yet."""
    answering = [rule for rule in rules if seen.get(rule.count, 0) >= rule.count]
    if not answering:
        return None
    return max(answering, key=lambda rule: (_HARDNESS.index(rule.action), rule.amount))


def until_us(action: str, amount: int, *, now_us: int, for_ever_us: int) -> int:
    """Until when the account is closed by a penalty; 0: it is not."""
    if action == FREEZE:
        return now_us + amount * HOUR_US
    return for_ever_us if action == BAN else 0
