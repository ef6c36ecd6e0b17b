"""The proof of a deal in the browser, against the deals of Python: every game, every forgery.

Budget: 15 s.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import msgspec
import pytest
from playwright.async_api import Page

from paiju.rules import record as records
from paiju.rules.record import Record, RecordedAction
from tests.web.recorded import GAMES, recorded

pytestmark = pytest.mark.asyncio(loop_scope="session")
HALL = 'new URL("hall/", document.querySelector("script[src]").src)'


async def proof(page: Page, record: Record, shown: Any = None) -> dict[str, bool | None]:
    script = f"""async ([record, shown]) => {{
      const {{ verify }} = await import(new URL("fairness.js", {HALL}));
      return Object.fromEntries((await verify(record, shown)).map(({{ what, ok }}) => [what, ok]));
    }}"""
    found: dict[str, bool | None] = await page.evaluate(
        script, [json.loads(records.encode(record)), shown]
    )
    return found


async def test_shake_256_is_the_standards(files: Page) -> None:
    messages = [bytes([n % 251]) * n for n in (0, 1, 135, 136, 137, 1000)]
    script = f"""async (messages) => {{
      const {{ shake256 }} = await import(new URL("../vendor/shake.js", {HALL}));
      const begun = (bytes) => shake256.create().update(Uint8Array.from(bytes));
      return messages.map((bytes) => [...begun(bytes).xof(500)]);
    }}"""
    made = await files.evaluate(script, [list(message) for message in messages])
    assert made == [list(hashlib.shake_256(message).digest(500)) for message in messages]


@pytest.mark.parametrize("name", GAMES)
async def test_every_game_s_deal_is_proved(files: Page, name: str) -> None:
    record = recorded(name)
    shown = {"commitment": record.commitment, "contribution": record.contributions[0]}
    found = await proof(files, record, shown)
    dealt = found.pop("proof.dealt")
    assert found == {"proof.before": True, "proof.secret": True, "proof.mine": True}
    assert dealt is (None if name == "reversi" else True)
    blind = await proof(files, record)
    assert (blind["proof.before"], blind["proof.mine"]) == (None, None)


def swapped(record: Record) -> Record:
    """Two cards of the deal change places."""
    at = max(
        (n for n, action in enumerate(record.actions) if action.seat == -1),
        key=lambda n: len(record.actions[n].action),
    )
    words = record.actions[at].action.split(" ")
    cards = [n for n, word in enumerate(words) if len(word) == 2 and word[0] in "23456789TJQKA"]
    first, last = cards[0], next(n for n in reversed(cards) if words[n] != words[cards[0]])
    words[first], words[last] = words[last], words[first]
    action = record.actions[at]._replace(action=" ".join(words))
    return replaced(record, actions=[*record.actions[:at], action, *record.actions[at + 1 :]])


def replaced(record: Record, **fields: Any) -> Record:
    return msgspec.structs.replace(record, **fields)


@pytest.mark.parametrize("name", sorted(set(GAMES) - {"reversi"}))
async def test_a_deal_that_was_tampered_with_is_told(files: Page, name: str) -> None:
    assert (await proof(files, swapped(recorded(name))))["proof.dealt"] is False


async def test_other_secrets_tables_and_contributions_are_told(files: Page) -> None:
    record = recorded("doudizhu")
    other = "00" * 192
    assert (await proof(files, replaced(record, secret=other)))["proof.secret"] is False
    for forged in (
        replaced(record, hand=record.hand + 1),
        replaced(record, table="4712"),
        replaced(record, contributions=record.contributions[::-1]),
    ):
        assert (await proof(files, forged))["proof.dealt"] is False
    undealt = replaced(record, actions=[RecordedAction(-1, "deal", 0, "chance")])
    assert (await proof(files, undealt))["proof.dealt"] is None
    shown = {"commitment": other[:64], "contribution": "ff" * 32}
    found = await proof(files, record, shown)
    assert (found["proof.before"], found["proof.mine"]) == (False, False)
