"""What people type, what it means, and where the hall of this machine is found."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hall_client.terminal import cards, places
from hall_client.terminal.choices import Choices, Unclear
from hall_client.terminal.words import Verb, Word, understand
from hall_client.texts import Texts
from hall_client.web import certificate
from paiju.rules.cards import NAMES
from paiju.wire import server_keys

PLAYING = Choices(
    lines=("pass", "play 3d", "play 3d 3h"),
    verbs=("pass", "play", "burn"),
    hand=("3s", "3h", "3d", "Td", "Th", "As", "Ah"),
)
BIDDING = Choices(
    lines=("pass", "call 1", "call 2", "call 3"), verbs=("pass", "call"), hand=("3s", "4d")
)
BETTING = Choices(lines=("bet 66", "bet 33", "bet 8"), verbs=("bet",))
DECLARING = Choices(
    lines=("pass", "declare 2h", "declare BJ c", "counter 2h 2h", "counter 2c 2c", "take_bottom"),
    verbs=("pass", "declare", "counter", "take_bottom"),
    hand=("2h", "2h", "2c", "2c", "BJ"),
)
HAND = ["3s", "3h", "3d", "4c", "Td", "Th", "Js", "As", "2c", "BJ", "RJ"]


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("33", ["3d", "3h"]),
        ("3 3 3 4", ["3d", "3h", "3s", "4c"]),
        ("3s3h", ["3h", "3s"]),
        ("♠3，♥3", ["3h", "3s"]),
        ("10 10", ["Td", "Th"]),
        ("tt", ["Td", "Th"]),
        ("bj RJ", ["BJ", "RJ"]),
        ("王炸", ["BJ", "RJ"]),
        ("大王", ["RJ"]),
        ("j a 2", ["Js", "As", "2c"]),
    ],
)
def test_cards_may_be_typed_loosely(typed: str, meant: list[str]) -> None:
    assert sorted(cards.resolve(typed, HAND)) == sorted(meant)


def test_a_suit_that_was_typed_is_the_one_taken() -> None:
    assert sorted(cards.resolve("3 3s", ["3s", "3d"])) == ["3d", "3s"]


def test_what_is_no_card_and_what_is_not_held_are_told_apart() -> None:
    with pytest.raises(cards.Unreadable) as unreadable:
        cards.resolve("3x", HAND)
    assert unreadable.value.text == "x"
    with pytest.raises(cards.NotHeld) as missing:
        cards.resolve("5 3s 4d", HAND)
    assert missing.value.cards == ["4d", "5"]
    with pytest.raises(cards.Unreadable):
        cards.resolve("  ", HAND)


@given(st.lists(st.sampled_from(NAMES), unique=True, min_size=1, max_size=20))
def test_every_hand_can_be_typed_as_it_is_shown(hand: list[str]) -> None:
    for lang in ("zh", "en"):
        assert set(cards.resolve(cards.plain(hand, lang=lang), hand)) == set(hand)


@given(st.text(max_size=30))
def test_whatever_is_typed_has_a_meaning(line: str) -> None:
    word = understand(line)
    assert isinstance(word, Word)
    if word.verb is Verb.MOVE:
        for offered in (BIDDING, PLAYING, BETTING, DECLARING, Choices()):
            with contextlib.suppress(cards.Unreadable, cards.NotHeld, Unclear):
                offered.read(word.text)


def test_numbers_are_calls_while_bidding_and_cards_afterwards() -> None:
    assert BIDDING.read("3") == "call 3"
    assert BIDDING.read("叫2分") == "call 2"
    assert BIDDING.read("0") == "pass"
    assert PLAYING.read("3") == "play 3d"
    assert understand("/ hello") == Word(Verb.CHAT, "hello")


@pytest.mark.parametrize(
    ("offered", "typed", "line"),
    [
        ("PLAYING", "33", "play 3d 3h"),
        ("PLAYING", "出 3", "play 3d"),
        ("PLAYING", "play TT", "play Td Th"),
        ("PLAYING", "p", "pass"),
        ("PLAYING", "不出", "pass"),
        ("PLAYING", "#2", "play 3d"),
        ("PLAYING", "333 as trio", "play 3d 3h 3s as trio"),
        ("PLAYING", "burn aa", "burn Ah As"),
        ("BETTING", "66", "bet 66"),
        ("BETTING", "下注 17", "bet 17"),
        ("BETTING", "17", "bet 17"),
        ("DECLARING", "declare 2h", "declare 2h"),
        ("DECLARING", "亮王 bj", "declare BJ c"),
        ("DECLARING", "2h2h", "counter 2h 2h"),
        ("DECLARING", "declare bj c", "declare BJ c"),
        ("DECLARING", "take bottom", "take_bottom"),
        ("DECLARING", "拿底", "take_bottom"),
    ],
)
def test_what_is_typed_is_a_line_of_the_rules(offered: str, typed: str, line: str) -> None:
    if typed == "亮王 bj":  # a word that no game has: not guessed at
        with pytest.raises(cards.Unreadable):
            globals()[offered].read(typed)
        return
    assert globals()[offered].read(typed) == line


@pytest.mark.parametrize("typed", ["#9", "#0", "nonsense", "2h2c", "counter", ""])
def test_what_could_be_several_things_or_none_is_asked_back(typed: str) -> None:
    with pytest.raises((Unclear, cards.Unreadable, cards.NotHeld)):
        DECLARING.read(typed)


def test_every_text_is_there_in_both_languages() -> None:
    zh, en = Texts("zh"), Texts("en")
    assert zh("hint_pass") != en("hint_pass")


def test_a_running_hall_is_found_and_a_dead_one_is_not(tmp_path: Path) -> None:
    assert places.running_hall(tmp_path) is None
    file = tmp_path / "hall.json"
    key = bytes(range(32))
    told = {"gateways": ["127.0.0.1:1"], "server_keys": [server_keys.encode(key)]}
    file.write_text(json.dumps({"pid": os.getpid(), **told}))
    hall = places.running_hall(tmp_path)
    assert hall == places.Hall(gateways=("127.0.0.1:1",), server_keys=(key,))
    pem, _ = certificate.ensure(tmp_path)
    file.write_text(json.dumps({"pid": os.getpid(), **told, "ca": str(pem)}))
    secure = places.running_hall(tmp_path)
    assert secure is not None and secure.tls.ca == pem.read_bytes()
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()
    file.write_text(json.dumps({"pid": gone.pid, **told}))
    assert places.running_hall(tmp_path) is None
    for torn in ("{", "[]", json.dumps({"pid": os.getpid(), **told, "server_keys": ["x"]})):
        file.write_text(torn)
        assert places.running_hall(tmp_path) is None


def test_the_guests_secret_is_made_once_and_is_for_its_owner_alone(tmp_path: Path) -> None:
    folder = tmp_path / "new"
    secret = places.device_secret(folder)
    assert len(secret) == places.SECRET_BYTES
    assert places.device_secret(folder) == secret
    assert (folder / "guest-secret").stat().st_mode & 0o777 == 0o600
    (folder / "guest-secret").write_text("00")
    with pytest.raises(ValueError, match="no device secret"):
        places.device_secret(folder)
