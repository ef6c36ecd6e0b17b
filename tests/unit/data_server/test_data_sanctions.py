"""Which rule answers, what a policy may say, what a fine takes."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_server import ledger
from data_server.ledger import Held
from data_server.sanctions import HOUR_US, Rule, checked_rules, until_us, verdict
from paiju.service.refusals import Refused

RULES = [
    Rule("vault", 1, 86_400, "warn", 0),
    Rule("vault", 3, 86_400, "fine", 500),
    Rule("vault", 10, 86_400, "freeze", 24),
]


def history(reports: int) -> list[str]:
    """The answers to so many reports in a row."""
    seen: Counter[int] = Counter()
    answers = []
    for _ in range(reports):
        for rule in RULES:
            seen[rule.count] += 1
        rule = verdict(RULES, seen)
        if rule is not None:
            seen[rule.count] = 0
        answers.append(rule.action if rule else "none")
    return answers


def test_each_rule_answers_every_so_many_and_the_hardest_is_carried_out() -> None:
    assert history(10) == [
        *("warn", "warn", "fine"),
        *("warn", "warn", "fine"),
        *("warn", "warn", "fine"),
        "freeze",
    ]


@given(st.dictionaries(st.sampled_from([1, 3, 10]), st.integers(0, 30)))
def test_no_rule_answers_before_its_count(seen: dict[int, int]) -> None:
    rule = verdict(RULES, seen)
    answering = [r for r in RULES if seen.get(r.count, 0) >= r.count]
    assert (rule is None) == (not answering)
    if rule is not None:
        assert rule == answering[-1]


@pytest.mark.parametrize(
    ("kind", "rules"),
    [
        ("cheat", []),  # what players say is for people
        ("collusion", [Rule("collusion", 5, 60, "ban", 0)]),
        ("Vault", []),
        ("vault", [Rule("flood", 1, 60, "warn", 0)]),
        ("vault", [Rule("vault", 0, 60, "warn", 0)]),
        ("vault", [Rule("vault", 1, 0, "warn", 0)]),
        ("vault", [Rule("vault", 1, 60, "shout", 0)]),
        ("vault", [Rule("vault", 1, 60, "fine", 0)]),
        ("vault", [Rule("vault", 1, 60, "fine", 10**15)]),
        ("vault", [Rule("vault", 1, 60, "freeze", -1)]),
        ("vault", [Rule("vault", 1, 60, "ban", 3)]),
        ("vault", [Rule("vault", 1, 60, "warn", 0), Rule("vault", 1, 90, "ban", 0)]),
        ("vault", [Rule("vault", n, 60, "warn", 0) for n in range(1, 30)]),
    ],
)
def test_what_is_no_policy(kind: str, rules: list[Rule]) -> None:
    with pytest.raises(Refused) as refused:
        checked_rules(kind, rules)
    assert refused.value.code == "BAD_POLICY"


def test_rules_come_out_by_count() -> None:
    assert checked_rules("vault", reversed(RULES)) == RULES


def test_until_when_an_account_is_closed() -> None:
    assert until_us("freeze", 24, now_us=5, for_ever_us=99) == 5 + 24 * HOUR_US
    assert until_us("ban", 0, now_us=5, for_ever_us=99) == 99
    assert until_us("warn", 0, now_us=5, for_ever_us=99) == 0
    assert until_us("fine", 10, now_us=5, for_ever_us=99) == 0


@given(st.integers(0, 10**15), st.integers(1, 10**12))
def test_a_fine_is_conserved_and_never_goes_below_zero(balance: int, amount: int) -> None:
    moves = ledger.fine(wallet=Held(7, balance), house=3, amount=amount)
    assert sum(moves.values()) == 0
    assert moves.get(3, 0) == min(balance, amount) == -moves.get(7, 0)
    assert balance + moves.get(7, 0) >= 0
