"""What a refusal says, whatever its parameters are."""

from __future__ import annotations

import pytest

from paiju.rules.climbing.sentences import sentence

TEXTS = {
    "does_not_beat": ("That does not beat the {play}.", "压不过{play}。"),
    "not_in_hand": ("You do not hold {cards}.", "你没有 {cards}。"),
}
KINDS = {"run": ("run of {length}", "{length} 张顺子")}


@pytest.mark.parametrize(
    ("code", "params", "locale", "said"),
    [
        ("not_in_hand", {"cards": "3s"}, "en", "You do not hold 3s."),
        ("not_in_hand", {}, "zh-CN", "你没有 ?。"),
        (
            "does_not_beat",
            {"kind": "run", "length": 5, "rank": "7"},
            "en",
            "That does not beat the run of 5 (7).",
        ),
        ("does_not_beat", {"kind": "run", "rank": "7"}, "zh", "压不过? 张顺子（7）。"),
        ("does_not_beat", {"kind": "unheard of"}, "en", "That does not beat the ?."),
        ("of another game", {}, "en", None),
    ],
)
def test_what_is_said(code: str, params: dict[str, object], locale: str, said: str | None) -> None:
    assert sentence(TEXTS, KINDS, code, params, locale) == said
