"""What a typed line means."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass


class Verb(enum.Enum):
    NOTHING = "nothing"  # an empty line
    HELP = "help"
    HINT = "hint"
    BOARD = "board"
    PASS = "pass"
    CALL = "call"
    PLAY = "play"
    CHAT = "chat"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Word:
    """`text`: the cards typed, the number called, or what is said."""

    verb: Verb
    text: str = ""


_FIXED = {
    Verb.HELP: {"?", "？", "help", "帮助"},
    Verb.HINT: {"h", "hint", "提示"},
    Verb.BOARD: {"b", "board", "牌桌"},
    Verb.PASS: {"p", "pass", "不出", "不要", "要不起", "过", "不叫"},
    Verb.QUIT: {"q", "quit", "exit", "离开", "退出"},
}
_BY_TEXT = {text: verb for verb, texts in _FIXED.items() for text in texts}
_CALL = re.compile(r"(?:call\s*|叫)?([0-3])\s*分?")
_PLAY = re.compile(r"(?:play|出)\s*", re.IGNORECASE)


def understand(line: str, *, bidding: bool) -> Word:
    """bidding: 1, 2 and 3 are calls, and 0 is none; otherwise they are cards."""
    text = line.strip()
    if not text:
        return Word(Verb.NOTHING)
    if text.startswith("/"):
        said = text[1:].strip()
        return Word(Verb.CHAT, said) if said else Word(Verb.HELP)
    verb = _BY_TEXT.get(text.lower())
    if verb is not None:
        return Word(verb)
    call = _CALL.fullmatch(text.lower())
    if bidding and call is not None:
        return Word(Verb.CALL, call[1]) if call[1] != "0" else Word(Verb.PASS)
    return Word(Verb.PLAY, _PLAY.sub("", text, count=1) if _PLAY.match(text) else text)
