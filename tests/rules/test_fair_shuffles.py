"""Shuffles look uniform: by position, by runs, by order, by neighbours.

In CI 10^5 shuffles from a fixed list of secrets: position, runs and order each within their
99 % limits, and all six statistics together within 99 % (each within 99.83 %: of six at 99 % one
fails by chance in 6 % of all lists). Fresh ones (soak) within 10^-6. That the statistics can
tell is shown on shuffles that are wrong in ways seen elsewhere.
"""

from __future__ import annotations

import hashlib
import itertools
import math
import secrets
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import msgspec
import pytest

from paiju.rules.api import CHANCE
from paiju.rules.record import Record, RecordedAction, RecordedOutcome, RecordError, verify
from paiju.rules.registry import Registry
from paiju.rules.shuffle import SECRET_BYTES, ShakeRng, commitment, hand_context

CARDS = 54
SHUFFLES = 100_000
Z_99 = 2.576  # two-sided
Z_99_OF_SIX = 3.143
Z_MILLIONTH = 4.892

Shuffles = Sequence[Sequence[int]]


def chi2_z(statistic: float, degrees: int) -> float:
    """The statistic as a standard normal one (Wilson and Hilferty, 1931)."""
    spread = 2 / (9 * degrees)
    return float(((statistic / degrees) ** (1 / 3) - (1 - spread)) / math.sqrt(spread))


def mean_z(total: int, count: int, mean: float, variance: float) -> float:
    return (total - count * mean) / math.sqrt(count * variance)


def positions(shuffles: Shuffles) -> float:
    """Pearson's statistic of (position, card). Rows and columns both sum to the number of
    shuffles; a random permutation matrix has covariance 1/(n-1) on what is left, so the
    statistic times (n-1)/n is chi-square with (n-1)^2 degrees."""
    n, expected = CARDS, len(shuffles) / CARDS
    total = 0.0
    for column in zip(*shuffles, strict=True):
        counts = Counter(column)
        total += sum((counts[card] - expected) ** 2 for card in range(n)) / expected
    return chi2_z(total * (n - 1) / n, (n - 1) ** 2)


def runs(shuffles: Shuffles) -> float:
    """Ascending runs: Eulerian numbers, mean (n+1)/2, variance (n+1)/12."""
    total = sum(1 + sum(a > b for a, b in itertools.pairwise(shuffle)) for shuffle in shuffles)
    return mean_z(total, len(shuffles), (CARDS + 1) / 2, (CARDS + 1) / 12)


def orders(shuffles: Shuffles) -> float:
    """Knuth's permutation test: the order of four cards in a row, in four places that do not
    overlap, against 24 equally likely ones."""
    counts: Counter[tuple[int, ...]] = Counter()
    for start in (0, 17, 34, CARDS - 4):
        counts.update(
            tuple(sorted(range(4), key=shuffle[start : start + 4].__getitem__))
            for shuffle in shuffles
        )
    expected = 4 * len(shuffles) / 24
    assert len(counts) <= 24
    statistic = sum((counts[p] - expected) ** 2 for p in itertools.permutations(range(4)))
    return chi2_z(statistic / expected, 23)


def successions(shuffles: Shuffles) -> float:
    """Cards that follow their neighbour: mean (n-1)/n, E[S(S-1)] = (n-2)/n."""
    mean = (CARDS - 1) / CARDS
    total = sum(sum(b - a == 1 for a, b in itertools.pairwise(shuffle)) for shuffle in shuffles)
    return mean_z(total, len(shuffles), mean, (CARDS - 2) / CARDS + mean - mean * mean)


def fixed_points(shuffles: Shuffles) -> float:
    """Cards that lie where they lay: mean 1, variance 1."""
    total = sum(sum(i == card for i, card in enumerate(shuffle)) for shuffle in shuffles)
    return mean_z(total, len(shuffles), 1, 1)


def repeats(shuffles: Shuffles) -> float:
    """Positions at which a shuffle agrees with the one before: mean 1, variance 1."""
    total = sum(
        sum(a == b for a, b in zip(one, two, strict=True))
        for one, two in itertools.pairwise(shuffles)
    )
    return mean_z(total, len(shuffles) - 1, 1, 1)


STATISTICS: tuple[Callable[[Shuffles], float], ...] = (
    positions,
    runs,
    orders,
    successions,
    fixed_points,
    repeats,
)


def fixed_secret(number: int) -> bytes:
    """The fixed list: anybody can make it again."""
    return hashlib.shake_256(f"paiju fixed secret {number}".encode()).digest(SECRET_BYTES)


def shuffled(drawn: Iterable[bytes]) -> list[list[int]]:
    return [
        ShakeRng(secret, (b"a", b"", b"c"), context=hand_context("77", hand)).permutation(CARDS)
        for hand, secret in enumerate(drawn, start=1)
    ]


def test_a_hundred_thousand_shuffles_of_the_fixed_list_are_within_the_limits() -> None:
    shuffles = shuffled(map(fixed_secret, range(SHUFFLES)))
    found = {statistic.__name__: statistic(shuffles) for statistic in STATISTICS}
    print({name: round(z, 2) for name, z in found.items()})
    assert all(abs(found[name]) < Z_99 for name in ("positions", "runs", "orders")), found
    assert len(found) == 6 and all(abs(z) < Z_99_OF_SIX for z in found.values()), found


@pytest.mark.soak
def test_fresh_shuffles_are_within_a_millionth() -> None:
    for _ in range(5):
        shuffles = shuffled(secrets.token_bytes(SECRET_BYTES) for _ in range(SHUFFLES))
        found = {statistic.__name__: statistic(shuffles) for statistic in STATISTICS}
        print({name: round(z, 2) for name, z in found.items()})
        assert all(abs(z) < Z_MILLIONTH for z in found.values()), found


def any_with_any(rng: ShakeRng) -> list[int]:
    """Swaps each card with any other: n^n ways for n! orders."""
    cards = list(range(CARDS))
    for i in range(CARDS):
        j = rng.below(CARDS)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def one_byte_modulo(rng: ShakeRng) -> list[int]:
    """Fisher and Yates with `byte % k`."""
    cards = list(range(CARDS))
    for i in range(CARDS - 1, 0, -1):
        j = rng.below(256) % (i + 1)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def never_stays(rng: ShakeRng) -> list[int]:
    """Sattolo's: one cycle only, no card stays where it was."""
    cards = list(range(CARDS))
    for i in range(CARDS - 1, 0, -1):
        j = rng.below(i)
        cards[i], cards[j] = cards[j], cards[i]
    return cards


def seven_riffles(rng: ShakeRng) -> list[int]:
    """What people do with their hands (Gilbert, Shannon and Reeds)."""
    cards = list(range(CARDS))
    for _ in range(7):
        left = [card for card in cards if rng.below(2)]
        chosen = set(left)
        cards = left + [card for card in cards if card not in chosen]
    return cards


@pytest.mark.parametrize(
    ("wrong", "told_by"),
    [
        (any_with_any, positions),
        (one_byte_modulo, positions),
        (never_stays, fixed_points),
        (seven_riffles, runs),
    ],
)
def test_a_wrong_shuffle_is_told(
    wrong: Callable[[ShakeRng], list[int]], told_by: Callable[[Shuffles], float]
) -> None:
    rng = ShakeRng(fixed_secret(0))
    shuffles = [wrong(rng) for _ in range(4_000)]
    assert abs(told_by(shuffles)) > Z_MILLIONTH


def played(*, actions: int, contributions: Sequence[bytes]) -> Record:
    """A void hand of Dou Dizhu, given up after so many actions."""
    game = Registry.default().latest("doudizhu")
    state = game.new_state(3, wealth=[1000] * 3)
    rng = ShakeRng(fixed_secret(1), contributions, context=hand_context("77", 4))
    done: list[RecordedAction] = []
    while len(done) < actions:
        seat = state.to_act()[0]
        action = state.sample_chance(rng) if seat == CHANCE else state.default_action(seat)
        done.append(RecordedAction(seat, game.format(action), 0, "player"))
        state.apply(seat, action)
    return Record(
        game=game.id.name,
        version=game.id.version,
        package="doudizhu",
        parameters=game.id.parameters,
        table="77",
        hand=4,
        seats=["1", "2", "3"],
        bots=[False] * 3,
        wealth=[1000] * 3,
        carry={},
        commitment=commitment(fixed_secret(1)).hex(),
        contributions=[c.hex() for c in contributions],
        secret=fixed_secret(1).hex(),
        actions=done,
        started_us=1,
        ended_us=2,
        outcome=RecordedOutcome.of(None, seats=3),
    )


def test_a_void_hand_is_proved_up_to_where_it_was_given_up() -> None:
    record = played(actions=2, contributions=(b"one", b"", b"three"))
    verify(record, Registry.default())
    swapped = msgspec.structs.replace(record, contributions=record.contributions[::-1])
    with pytest.raises(RecordError, match="chance is"):
        verify(swapped, Registry.default())
    other = played(actions=2, contributions=(b"one", b"", b"four"))
    with pytest.raises(RecordError, match="chance is"):
        verify(msgspec.structs.replace(record, actions=other.actions), Registry.default())


def test_a_secret_that_is_used_twice_is_told() -> None:
    once = [ShakeRng(fixed_secret(n)).permutation(CARDS) for n in range(1_000)]
    twice = [shuffle for shuffle in once for _ in range(2)]
    assert repeats(twice) > Z_MILLIONTH
    # the table and the number of the hand are hashed, too: the same secret gives another deck
    again = shuffled([fixed_secret(5)] * 2_000)
    assert abs(repeats(again)) < Z_MILLIONTH
