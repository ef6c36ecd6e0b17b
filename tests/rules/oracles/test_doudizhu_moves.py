"""Dou Dizhu's plays against RLCard's, in 12,000 positions that RLCard has judged.

Our rules allow more, and only for reasons that are rules of ours (docs/games/doudizhu.md):
each play that RLCard lacks must have one of REASONS, and without those plays the two sets are
the same to the last card. `scripts/oracle_doudizhu.py` makes the file, so that no RLCard is
needed here; in soak it judges other positions on the spot. About 5 s.
"""

from __future__ import annotations

import gzip
import hashlib
import runpy
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import pytest

from games.doudizhu.kinds import COMBOS, FINDER
from paiju.rules.cards import RANK_NAMES
from paiju.rules.climbing import PASS, Reading
from paiju.rules.climbing.packed import RUN_RANKS, counts_of

RANKS = "3456789TJQKA2BR"
FILE = Path(__file__).with_name("doudizhu.txt.gz")
SCRIPT = Path(__file__).parents[3] / "scripts/oracle_doudizhu.py"

FOUR_EQUAL = "four equal cards may be wings: two pairs, or four singles"
BOTH_JOKERS = "both jokers may be wings"
ADJACENT = "a plane's wings may be a trio adjacent to its body"
SECOND_READING = "a set with several readings may be laid as any of them"
REASONS = {FOUR_EQUAL, BOTH_JOKERS, ADJACENT, SECOND_READING}


class Position(NamedTuple):
    """table: "-" for a lead. plays, digest: of RLCard's set, pass left out."""

    hand: str
    table: str
    plays: int
    digest: str


def read(lines: Iterable[str]) -> Iterator[Position]:
    for line in lines:
        hand, table, plays, digest = line.split()
        yield Position(hand, table, int(plays), digest)


def mask_of(ranks: str) -> int:
    """Cards of those ranks, with the lowest suits."""
    mask, seen = 0, Counter[str]()
    for rank in ranks:
        place = RANKS.index(rank)
        mask |= 1 << (place * 4 + seen[rank] if place < 13 else 39 + place)
        seen[rank] += 1
    return mask


@lru_cache(1 << 16)
def text_of(counts: int) -> str:
    return "".join(rank * (counts >> 4 * place & 15) for place, rank in enumerate(RANKS))


def our_plays(hand: str, table: Reading | None) -> list[str]:
    cards = mask_of(hand)
    counts = counts_of(cards)
    listed = FINDER.leads(cards, counts) if table is None else FINDER.follows(cards, counts, table)
    return sorted({text_of(counts_of(action >> 8)) for action in listed if action != PASS})


def wings_of(play: str, reading: Reading) -> Counter[str]:
    cards = Counter(play)
    if reading.kind.startswith("four"):
        cards[RANKS[reading.rank]] -= 4
    for rank in range(reading.rank - reading.length + 1, reading.rank + 1):
        if reading.kind.startswith("plane"):
            cards[RANKS[rank]] -= 3
    return +cards


@lru_cache(1 << 18)
def reason(play: str, table: Reading | None) -> str | None:
    """Why we allow a play that RLCard may lack; None: RLCard has it, too."""
    readings = COMBOS.readings[counts_of(mask_of(play))]
    laid = next(r for r in readings if table is None or COMBOS.beats(r, table))
    if laid.kind not in ("plane_pair", "plane_single", "four_two_pair", "four_two_single"):
        return None
    wings = wings_of(play, laid)
    if 4 in wings.values():
        return FOUR_EQUAL
    if wings["B"] and wings["R"]:
        return BOTH_JOKERS
    if readings[0].kind == "trio_straight":
        return SECOND_READING
    beside = {laid.rank + 1, laid.rank - laid.length} & set(range(RUN_RANKS))
    if any(wings[RANKS[rank]] == 3 for rank in beside):
        return ADJACENT
    return None


def digest_of(plays: list[str]) -> str:
    return hashlib.sha256(" ".join(plays).encode()).hexdigest()[:16]


def table_of(position: Position) -> Reading | None:
    if position.table == "-":
        return None
    return COMBOS.readings[counts_of(mask_of(position.table))][0]


def compare(positions: Iterable[Position]) -> None:
    seen, used = Counter[str](), Counter[str]()
    for position in positions:
        table = table_of(position)
        ours = our_plays(position.hand, table)
        common = [play for play in ours if reason(play, table) is None]
        assert len(common) == position.plays, (position, common)
        assert digest_of(common) == position.digest, (position, common)
        seen["lead" if table is None else "follow"] += 1
        used.update(filter(None, (reason(play, table) for play in ours)))
    assert seen["lead"] >= 5_000 and seen["follow"] >= 5_000
    assert set(used) == REASONS


def test_leads_and_follows_are_the_same_but_for_the_reasons_given() -> None:
    compare(read(gzip.decompress(FILE.read_bytes()).decode().splitlines()))


@pytest.mark.soak
def test_other_positions_judged_on_the_spot() -> None:
    pytest.importorskip("rlcard", reason="the oracle is not installed: pip install '.[oracles]'")
    oracle = runpy.run_path(str(SCRIPT))
    compare(read(oracle["judged"](100_000, seed=2)))


def test_ranks_are_written_alike() -> None:
    assert RANKS[:13] == "".join(RANK_NAMES[:13]) and RANK_NAMES[13:] == ("BJ", "RJ")
