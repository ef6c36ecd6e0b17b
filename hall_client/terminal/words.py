"""What a typed line is about: the program itself, or the game."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Verb(enum.Enum):
    NOTHING = "nothing"  # an empty line
    HELP = "help"
    RULES = "rules"
    HINT = "hint"
    LIST = "list"
    BOARD = "board"
    MOVE = "move"  # for the game: choices.py reads it
    CHAT = "chat"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Word:
    """`text`: what is to be done in the game, or what is said."""

    verb: Verb
    text: str = ""


_FIXED = {
    Verb.HELP: {"?", "？", "help", "帮助"},
    Verb.RULES: {"??", "？？", "rules", "规则"},
    Verb.HINT: {"h", "hint", "提示"},
    Verb.LIST: {"l", "list", "列表"},
    Verb.BOARD: {"b", "board", "牌桌"},
    Verb.QUIT: {"q", "quit", "exit", "离开", "退出"},
}
_BY_TEXT = {text: verb for verb, texts in _FIXED.items() for text in texts}


def understand(line: str) -> Word:
    text = line.strip()
    if not text:
        return Word(Verb.NOTHING)
    if text.startswith("/"):
        said = text[1:].strip()
        return Word(Verb.CHAT, said) if said else Word(Verb.HELP)
    verb = _BY_TEXT.get(text.lower())
    return Word(verb) if verb is not None else Word(Verb.MOVE, text)
