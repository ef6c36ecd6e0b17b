"""Plays that a list of legal actions might have forgotten.

What a list lacks cannot be found in the list. So the kit makes up plays as people know them
from card games: some ranks in a row, one to four cards of each or what there is, with or without
cards carried along; and lines of other moments moved up or down in rank.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING, Any

from paiju.rules import views
from paiju.rules.api import SPECTATOR, IllegalAction
from paiju.rules.cards import NAMES, RANK_NAMES, RANK_OF
from paiju.rules.testkit._cards import pile_of, words_of

if TYPE_CHECKING:
    from paiju.rules.testkit._hand import Hand

_SHAPED = 24
_MOVED = 6
_LONGEST = 12
_RANK = {name: RANK_NAMES[RANK_OF[card]] for card, name in enumerate(NAMES)}
_ByRank = dict[str, list[str]]


def guesses(hand: Hand, seat: int) -> list[Any]:
    """Actions that may be legal or not, with cards of the seat that is to act."""
    lines = [line for line in _lines(hand) if words_of(line)]
    if seat not in hand.state.to_act() or not lines:
        return []
    public = views.encode(hand.state.view(SPECTATOR))
    pile = sorted(pile_of(views.encode(hand.state.view(seat)), public).elements())
    found = []
    for number in range(_SHAPED + _MOVED if pile else 0):
        line = lines[hand.rng.below(len(lines))]
        guess = _shaped(hand, line, pile) if number < _SHAPED else _moved(hand, line, pile)
        if guess is not None:
            try:
                found.append(hand.game.parse(hand.state, seat, guess))
            except IllegalAction:
                continue
    return found


def _lines(hand: Hand) -> list[str]:
    """A few lines of other moments: how this game writes a play."""
    seen = hand.seen
    return [hand.game.format(seen[hand.rng.below(len(seen))]) for _ in seen[:8]]


def _by_rank(pile: list[str]) -> _ByRank:
    found: _ByRank = defaultdict(list)
    for card in pile:
        found[_RANK[card]].append(card)
    return found


def _shaped(hand: Hand, line: str, pile: list[str]) -> str | None:
    """A run of groups, often of the shape that fits: long runs of one, short ones of more."""
    below, left = hand.rng.below, _by_rank(pile)
    most = max(map(len, left.values()))
    copies = 1 + below(4 if below(3) else max(4, most))
    starts = [rank for rank in RANK_NAMES if len(left[rank]) >= copies]
    if not starts:
        return None
    first = RANK_NAMES.index(starts[below(len(starts))])
    longest = 1
    while first + longest < len(RANK_NAMES) and len(left[RANK_NAMES[first + longest]]) >= copies:
        longest += 1
    longest = min(longest, _LONGEST)
    length = 1 + below(longest) if below(2) else longest
    cards = []
    for rank in RANK_NAMES[first : first + length]:
        cards += left[rank][:copies]
        left[rank] = left[rank][copies:] if below(4) == 0 else []
    carried = max(length, 2 if copies == 4 else 1) if 2 < copies < 5 and below(3) else 0
    size = 1 + below(2)
    for _ in range(carried):
        able = [rank for rank in RANK_NAMES if len(left[rank]) >= size]
        if able:
            rank = able[below(len(able))]
            cards += left[rank][:size]
            left[rank] = left[rank][size:]
    verb = [word for word in line.split(" ") if not words_of(word)][:1]
    return " ".join([*verb, *cards])


def _moved(hand: Hand, line: str, pile: list[str]) -> str | None:
    """The line with each card so many ranks higher or lower; None when a card is lacking."""
    left, words = _by_rank(pile), []
    by = hand.rng.below(2 * len(RANK_NAMES) - 1) - len(RANK_NAMES) + 1
    for word in line.split(" "):
        if word in _RANK:
            rank = RANK_NAMES.index(_RANK[word]) + by
            if not 0 <= rank < len(RANK_NAMES) or not left[RANK_NAMES[rank]]:
                return None
            words.append(left[RANK_NAMES[rank]].pop(0))
        else:
            words.append(word)
    return " ".join(words)
