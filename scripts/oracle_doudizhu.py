"""What an independent program may play: positions of Dou Dizhu with RLCard's move sets.

    pip install '.[oracles]'
    python scripts/oracle_doudizhu.py --positions 12000 --seed 1

writes tests/rules/oracles/doudizhu.txt.gz, against which tests/rules/oracles compares our
rules without RLCard. It imports nothing of ours. A line is

    hand table plays digest

with ranks `3456789TJQKA2BR`, `-` for a lead, the number of plays (pass left out) and the
first 16 hex digits of the SHA-256 of the sorted plays, joined by spaces.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import random
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace

from rlcard.games.doudizhu import utils
from rlcard.games.doudizhu.judger import DoudizhuJudger

FILE = Path(__file__).resolve().parent.parent / "tests/rules/oracles/doudizhu.txt.gz"
RANKS = "3456789TJQKA2BR"
DECK = [*(rank for rank in RANKS[:13] for _ in range(4)), "B", "R"]
MOST = 20


def ordered(cards: Iterable[str]) -> str:
    return "".join(sorted(cards, key=RANKS.index))


def leads(hand: str) -> list[str]:
    return sorted(ordered(play) for play in DoudizhuJudger.playable_cards_from_hand(hand))


def follows(hand: str, table: str) -> list[str]:
    """RLCard asks two players; it needs their cards and no more. `table` as RLCard writes it."""
    suits = Counter[str]()
    cards = []
    for rank in hand:
        joker = {"B": ("BJ", ""), "R": ("RJ", "")}.get(rank)
        suit, name = joker or ("SHDC"[suits[rank]], rank)
        suits[rank] += 1
        cards.append(SimpleNamespace(suit=suit, rank=name))
    player = SimpleNamespace(current_hand=cards)
    greater = SimpleNamespace(played_cards=table)
    found = utils.get_gt_cards(player, greater)
    return sorted(ordered(play) for play in found if play != "pass")


def random_hand(luck: random.Random, size: int, without: str = "") -> list[str]:
    """Any cards, or, every second time, cards of few ranks: trios, fours, long runs."""
    deck = list((Counter(DECK) - Counter(without)).elements())
    if luck.random() < 0.5:
        start = luck.randrange(9)
        end = start + luck.randint(4, 7)
        others = [card for card in deck if not start <= RANKS.index(card) < end]
        few = [card for card in deck if card not in others] + luck.sample(others, 4)
        deck = few if len(few) >= size else deck
    return luck.sample(deck, min(size, len(deck)))


def random_follow(luck: random.Random) -> tuple[str, str]:
    """(hand, table): a table of a random kind; two hands of three hold something that beats it."""
    kinds = sorted(utils.TYPE_CARD)
    kind = luck.choice(kinds)
    weights = utils.TYPE_CARD[kind]
    weight = luck.choice(sorted(weights, key=int))
    table = luck.choice(weights[weight])
    higher = [w for w in weights if int(w) > int(weight)]
    hand: list[str] = []
    if higher and luck.random() < 0.67:
        hand = list(luck.choice(weights[luck.choice(sorted(higher, key=int))]))
    room = luck.randint(len(hand), MOST) - len(hand)
    hand += random_hand(luck, room, "".join(hand)) if room else []
    return ordered(hand or "3"), table


def line(hand: str, table: str, plays: list[str]) -> str:
    digest = hashlib.sha256(" ".join(sorted(plays)).encode()).hexdigest()[:16]
    return f"{hand} {table} {len(plays)} {digest}\n"


def judged(positions: int, seed: int) -> Iterator[str]:
    """Lines of so many positions, leads and follows in turn."""
    luck = random.Random(seed)
    for number in range(positions):
        if number % 2:
            hand, table = random_follow(luck)
            yield line(hand, ordered(table), follows(hand, table))
        else:
            hand = ordered(random_hand(luck, luck.randint(1, MOST)))
            yield line(hand, "-", leads(hand))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--positions", type=int, default=12_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    lines = list(judged(given.positions, given.seed))
    FILE.write_bytes(gzip.compress("".join(lines).encode(), mtime=0))
    print(f"wrote {len(lines)} positions to {FILE.name}")


if __name__ == "__main__":
    main()
