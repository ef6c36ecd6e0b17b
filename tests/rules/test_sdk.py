"""Shuffles, views, records, the registry."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from paiju.rules import cases, record, shuffle, views
from paiju.rules.api import CHANCE
from paiju.rules.registry import Registry, UnknownGame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=8,
)
VIEWS = st.dictionaries(st.text(max_size=6), JSON, max_size=6)


@given(VIEWS, VIEWS)
def test_a_patch_turns_one_view_into_the_other_byte_for_byte(old: dict, new: dict) -> None:
    before, after = views.encode(old), views.encode(new)
    patch = views.diff(before, after)
    shown = views.apply(before, patch)
    assert views.canonical(shown) == views.canonical(after)
    assert json.loads(views.canonical(shown)) == new
    assert views.check_update(views.check(before), before, patch) == views.check(after)


def test_the_check_is_the_one_of_the_contract() -> None:
    parts = {"a": b"1", "b": b"null"}
    expected = zlib.crc32(b"a\x001") + zlib.crc32(b"b\x00null")
    assert views.check(parts) == expected % 2**32


SECRET = bytes(range(192))


def test_known_answers_of_shuffle_and_commitment() -> None:
    """Fixed for ever: records of today must verify tomorrow."""
    assert shuffle.commitment(SECRET).hex() == (
        "532d6db111a2159b0788a7a8b0f1f46434dd5584fe807dc71e91831744243b84"
    )
    rng = shuffle.ShakeRng(SECRET, [b"a", b"", b"c"], context=shuffle.hand_context("7", 1))
    deck = rng.permutation(54)
    assert deck[:12] == [52, 23, 34, 37, 28, 38, 26, 20, 18, 17, 0, 43]
    assert sorted(deck) == list(range(54))


def test_a_deck_can_be_computed_without_this_program() -> None:
    """By the definition alone: anybody can check a deal with a hash function and a sort."""

    def framed(*fields: bytes) -> bytes:
        return b"".join(len(field).to_bytes(4, "big") + field for field in fields)

    context = framed(b"77", (12).to_bytes(8, "big"))
    stream = hashlib.shake_256(framed(b"paiju deck v1", context, SECRET, b"a", b""))
    data = stream.digest(54 * 8)
    keys = [data[8 * card : 8 * card + 8] for card in range(54)]
    rng = shuffle.ShakeRng(SECRET, [b"a", b""], context=shuffle.hand_context("77", 12))
    assert rng.permutation(54) == sorted(range(54), key=keys.__getitem__)


def test_every_order_is_equally_likely() -> None:
    """Chi-square over the 24 orders of four, 99.9 % limit for 23 degrees: 49.7."""
    rng = shuffle.ShakeRng(SECRET)
    found = Counter(tuple(rng.permutation(4)) for _ in range(24_000))
    assert len(found) == 24
    assert sum((n - 1000) ** 2 / 1000 for n in found.values()) < 49.7


@pytest.mark.parametrize(
    ("contributions", "table", "hand"),
    [([b"ab", b""], "7", 1), ([b"a", b"b"], "7", 1), ([b"", b"ab"], "7", 1)],
)
def test_every_input_changes_the_deck(contributions: list[bytes], table: str, hand: int) -> None:
    def deck(c: list[bytes], t: str, h: int) -> list[int]:
        context = shuffle.hand_context(t, h)
        return list(shuffle.ShakeRng(SECRET, c, context=context).permutation(54))

    base = deck(contributions, table, hand)
    assert deck(contributions, table, hand + 1) != base
    assert deck(contributions, table + "1", hand) != base
    assert deck([*contributions, b""], table, hand) != base
    others = [deck(c, "7", 1) for c in ([b"ab", b""], [b"a", b"b"], [b"", b"ab"])]
    assert len({tuple(d) for d in others}) == 3


def test_draws_are_uniform() -> None:
    """Chi-square within 99.9 % limits on a fixed secret (5 degrees: 20.5)."""
    rng = shuffle.ShakeRng(SECRET)
    found = Counter(rng.below(6) for _ in range(60_000))
    assert sum((found[i] - 10_000) ** 2 / 10_000 for i in range(6)) < 20.5
    assert rng.below(1) == 0
    with pytest.raises(ValueError, match="n >= 1"):
        rng.below(0)


def _record() -> record.Record:
    game = Registry.default().latest("doudizhu", {"N": 10, "A": 2})
    contributions = [b"one", b"", b"three"]
    rng = shuffle.ShakeRng(SECRET, contributions, context=shuffle.hand_context("77", 4))
    state = game.new_state(3, wealth=[1000, 500, 80], carry={"first": 2})
    actions = []
    while not state.is_terminal():
        (seat,) = state.to_act()
        action = state.sample_chance(rng) if seat == CHANCE else state.hint(seat)
        actions.append(record.RecordedAction(seat, game.format(action), 10, "player"))
        state.apply(seat, action)
    return record.Record(
        game="doudizhu",
        version=1,
        package="1.0.0",
        parameters=game.id.parameters,
        table="77",
        hand=4,
        seats=["1", "2", "3"],
        bots=[False] * 3,
        wealth=[1000, 500, 80],
        carry={"first": 2},
        commitment=shuffle.commitment(SECRET).hex(),
        contributions=[c.hex() for c in contributions],
        secret=SECRET.hex(),
        actions=actions,
        started_us=1,
        ended_us=2,
        outcome=record.RecordedOutcome.of(state.outcome(), seats=3),
    )


def test_a_record_survives_json_and_proves_itself() -> None:
    made = _record()
    read = record.decode(record.encode(made))
    assert read == made
    record.verify(read, Registry.default())


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        ({"secret": ("00" * 192)}, "committed"),
        ({"secret": "zz"}, "cannot be read"),
        ({"contributions": ["", "", ""]}, "chance is"),
        ({"hand": 5}, "chance is"),
        ({"table": "78"}, "chance is"),
        ({"wealth": [0, 0, 0]}, "outcome by replay"),
        ({"version": 99}, "version"),
    ],
)
def test_a_changed_record_is_detected(change: dict, complaint: str) -> None:
    doctored = json.loads(record.encode(_record())) | change
    with pytest.raises((record.RecordError, UnknownGame), match=complaint):
        record.verify(record.decode(json.dumps(doctored)), Registry.default())


def test_a_swapped_order_of_actions_is_detected() -> None:
    doctored = json.loads(record.encode(_record()))
    doctored["actions"][1], doctored["actions"][2] = (
        doctored["actions"][2],
        doctored["actions"][1],
    )
    with pytest.raises(record.RecordError, match="action 1 is illegal"):
        record.verify(record.decode(json.dumps(doctored)), Registry.default())


def test_what_is_no_record_says_which_field() -> None:
    with pytest.raises(record.RecordError, match="hand"):
        record.decode('{"format":1,"game":"x","hand":"no"}')


def test_the_registry_names_what_is_installed() -> None:
    registry = Registry.default()
    with pytest.raises(UnknownGame, match="doudizhu"):
        registry.latest("no_such_game")
    with pytest.raises(ValueError, match="allowed are 1 to"):
        registry.latest("doudizhu", {"N": 0})
    with pytest.raises(ValueError, match="unknown parameters"):
        registry.latest("doudizhu", {"X": 1})
    assert {"doudizhu.novice", "doudizhu.master", "doudizhu.score"} <= {
        room.id for room in registry.rooms()
    }


def test_a_case_that_cannot_be_asked_fails_and_crashes_nothing(tmp_path: Path) -> None:
    lines = [
        {"id": "a", "game": "nope", "op": "classify", "expect": []},
        {"id": "b", "game": "doudizhu", "op": "nope", "expect": []},
        {"id": "c", "game": "doudizhu", "op": "classify", "expect": []},
        {"id": "d", "game": "doudizhu", "op": "beats", "lead": "3s 4s", "follow": "", "expect": 1},
        {"id": "e", "game": "doudizhu", "op": "classify", "cards": "3s", "expect": []},
        {"id": "f", "game": "doudizhu", "op": "classify", "cards": 3, "expect": []},
    ]
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    answers = list(cases.check(cases.read(path), Registry.default()))
    assert [a.passed for a in answers] == [False] * 6
    assert answers[2].got == "field 'cards' is missing"
    assert answers[5].got.startswith("field 'cards': ")
    assert [a.place for a in answers] == [f"{path}, line {n}" for n in range(1, 7)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ('{"id": 1}', "line 1: field 'id'"),
        ('{"id": "a", "game": "x", "op": "y"}', "field 'expect'"),
        ("{", "line 1: no JSON"),
        ("[]", "an object"),
        ('{"id": "a", "game": "x", "op": "y", "expect": 1}\n' * 2, "line 2: field 'id' is"),
    ],
)
def test_a_broken_file_names_line_and_field(tmp_path: Path, text: str, complaint: str) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(text)
    with pytest.raises(cases.BadCases, match=complaint):
        list(cases.read(path))
