"""Names and passwords: what is allowed, what counts as one character, what is the same."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_server.names import checked_name, count_clusters, name_key
from data_server.passwords import checked_password
from paiju.service.refusals import Refused


@pytest.mark.parametrize(
    ("raw", "shown", "key"),
    [
        ("Ann", "Ann", "ann"),
        ("ＡＮＮ", "ANN", "ann"),
        ("A\u030ann", "Ånn", "ånn"),
        ("张三", "张三", "张三"),
        ("Straße", "Straße", "strasse"),
        ("ΣΊΣΥΦΟΣ", "ΣΊΣΥΦΟΣ", "σίσυφοσ"),
        ("a b", "a b", "a b"),
        ("👍🏽👍", "👍🏽👍", "👍🏽👍"),
    ],
)
def test_allowed(raw: str, shown: str, key: str) -> None:
    assert checked_name(raw) == (shown, key)


@pytest.mark.parametrize(
    "raw",
    [
        "",
        "x",
        "张",
        "x" * 25,
        "x" * 5000,
        " ab",
        "ab ",
        "a  b",
        "a\u00a0 b",
        "a\nb",
        "a\x00b",
        "a\u200bb",  # zero width space
        "a\u200db",  # joiner
        "a\u202eb",  # right to left
        "a\u2066b",
        "ab\ufeff",
        "ab\u3164",  # looks blank
        "ab\u2800",
        "ab\ufe0f",
        "ab\U000e0061",
        "\u0301ab",
        "ab" + "\u0301\u0302\u0303\u0304",
        "a\ud800b",
        "ab\ue000",  # private use
        "ab\u2028",
        "👍🏽",  # one
        "🇨🇳",  # one
    ],
)
def test_refused(raw: str) -> None:
    with pytest.raises(Refused) as refused:
        checked_name(raw)
    assert refused.value.code == "BAD_NAME" and refused.value.params["detail"]


@pytest.mark.parametrize(
    ("text", "count"), [("ab", 2), ("é" * 3, 3), ("क्षि", 2), ("🇨🇳🇩🇪", 2), ("👍🏽", 1), ("🇨a", 2)]
)
def test_clusters(text: str, count: int) -> None:
    assert count_clusters(text) == count


@given(st.text(max_size=40))
def test_whatever_is_shown_is_allowed_again_and_has_the_same_key(raw: str) -> None:
    try:
        shown, key = checked_name(raw)
    except Refused:
        return
    assert checked_name(shown) == (shown, key)
    assert name_key(raw) == key
    assert unicodedata.is_normalized("NFKC", key)
    assert name_key(key) == key


def test_passwords() -> None:
    assert checked_password("a\u0308" * 8) == "ä" * 8
    assert checked_password("x" * 256)
    for wrong in ("", "x" * 7, "x" * 257, "a\u0308" * 7):
        with pytest.raises(Refused, match="BAD_PASSWORD"):
            checked_password(wrong)
