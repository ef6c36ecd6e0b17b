"""Names of players: what is allowed, how it is shown, what makes two of them the same.

Shown: NFKC, 2..24 grapheme clusters. Key: NFKC of the case-folded name; unique in the
database. Clusters are counted as base characters: marks, emoji modifiers and the second half
of a flag belong to the character before them. That is the rule of UAX #29 for what a name
may contain here, because joiners and all other invisible characters are refused.
"""

from __future__ import annotations

import unicodedata

from paiju.service.refusals import Refused

SHORTEST = 2
LONGEST = 24
MARKS_IN_A_ROW = 3

# Not in category C, yet invisible: fillers, blank Braille, joiners and variation selectors.
_INVISIBLE = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0") | frozenset(
    chr(code)
    for first, last in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF))
    for code in range(first, last + 1)
)
_MODIFIERS = range(0x1F3FB, 0x1F400)  # skin tones
_FLAGS = range(0x1F1E6, 0x1F200)  # regional indicators, two make a flag


def checked_name(raw: str) -> tuple[str, str]:
    """(shown name, key), or Refused BAD_NAME with the reason as `detail`."""
    if len(raw) > LONGEST * 8:
        raise Refused("BAD_NAME", detail="too long")
    shown = unicodedata.normalize("NFKC", raw)
    _check_characters(shown)
    clusters = count_clusters(shown)
    if clusters < SHORTEST:
        raise Refused("BAD_NAME", detail="too short")
    if clusters > LONGEST or len(shown) > LONGEST * 4:
        raise Refused("BAD_NAME", detail="too long")
    return shown, name_key(shown)


def name_key(name: str) -> str:
    """Equal for names that differ only in case or form; also for looking up."""
    folded = unicodedata.normalize("NFKC", name).casefold()
    return unicodedata.normalize("NFKC", folded).casefold()


def count_clusters(text: str) -> int:
    clusters = flags = 0
    for char in text:
        if ord(char) in _FLAGS:
            flags += 1
            clusters += flags % 2
            continue
        flags = 0
        if not _continues(char):
            clusters += 1
    return clusters


def _continues(char: str) -> bool:
    return unicodedata.category(char)[0] == "M" or ord(char) in _MODIFIERS


def _check_characters(name: str) -> None:
    marks = 0
    for at, char in enumerate(name):
        category = unicodedata.category(char)
        if category[0] == "C" or category in ("Zl", "Zp") or char in _INVISIBLE:
            raise Refused("BAD_NAME", detail=f"character U+{ord(char):04X}")
        if category == "Zs" and (char != " " or at in (0, len(name) - 1) or name[at - 1] == " "):
            raise Refused("BAD_NAME", detail="spaces")
        marks = marks + 1 if category[0] == "M" else 0
        if marks > MARKS_IN_A_ROW or (marks and at == 0):
            raise Refused("BAD_NAME", detail="marks without a letter")
