"""docs/contracts/refusals.md says what the code says."""

from __future__ import annotations

import re
from pathlib import Path

from game_server.gateway.commands import RULES
from paiju.service.refusals import SENTENCES

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "docs/contracts/refusals.md").read_text("utf-8")


def test_every_code_has_its_row_and_sentence() -> None:
    rows = dict(re.findall(r"^\| `([A-Z_]+)` \| .*? \| (.*) \|$", PAGE, re.MULTILINE))
    assert rows == {code: english for code, (english, _) in SENTENCES.items()}


def test_every_command_has_its_row() -> None:
    rows = re.findall(r"^\| `([a-z_]+)` \| \S+ \| (yes|-) \| (\d+) \|", PAGE, re.MULTILINE)
    wanted = [(k, "yes" if rule.op else "-", f"{rule.cost:g}") for k, rule in RULES.items()]
    assert rows == wanted


def test_the_gateway_uses_no_code_without_a_sentence() -> None:
    used = set()
    for path in (ROOT / "game_server/gateway").glob("*.py"):
        text = path.read_text("utf-8")
        used |= set(re.findall(r'Refused\(\s*"([A-Z_]+)"', text))
        used |= set(re.findall(r'\.(?:notice|end|tell)\("([A-Z_]+)"', text))
    assert len(used) > 20
    assert used <= SENTENCES.keys()
