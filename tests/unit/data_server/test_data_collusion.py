"""Planted colluders are found, honest halls are left in peace; the rates are measured."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import pytest

from data_server.collusion import tails
from data_server.collusion.flow import Flow
from data_server.collusion.hands import Answer, Hand, hand_of
from data_server.collusion.meetings import Meetings
from data_server.collusion.suspects import Findings, find
from paiju.rules.record import Record, RecordedAction, RecordedOutcome

HOUR_US = 3600 * 10**6
START_US = 1_700_000_000 * 10**6

Pair = tuple[int, int]


@dataclass
class Hall:
    """A hall of three-handed Dou Dizhu: one against two, a stake that doubles now and then.

    Every hour of `hours` each of `players` plays with chance 2/3; all who do are seated at
    random, play eight hands, and are seated anew. Skill and the habit of passing differ.
    """

    seed: int
    players: int = 60
    hours: int = 40
    dumpers: tuple[Pair, ...] = ()  # the first loses to the second on purpose
    sparers: tuple[Pair, ...] = ()  # let each other's plays pass
    friends: tuple[Pair, ...] = ()  # come together, and play as they always do
    rng: random.Random = field(init=False)

    def __post_init__(self) -> None:
        self.rng = random.Random(self.seed)
        self.skill = {p: self.rng.gauss(0, 0.08) for p in self.ids()}
        self.habit = {p: self.rng.uniform(0.35, 0.65) for p in self.ids()}

    def ids(self) -> range:
        return range(1, self.players + 1)

    def hands(self) -> list[Hand]:
        return [hand for hour in range(self.hours) for hand in self._hour(hour)]

    def _hour(self, hour: int) -> Iterator[Hand]:
        present = [p for p in self.ids() if self.rng.random() < 2 / 3]
        tables = self._seated(present)
        for number in range(8):
            for table, seated in enumerate(tables):
                ended = START_US + hour * HOUR_US + number * 120 * 10**6 + table
                yield self._hand(table, seated, ended)

    def _seated(self, present: list[int]) -> list[list[int]]:
        """Tables of three; pairs that want it sit together two times out of three."""
        self.rng.shuffle(present)
        tables: list[list[int]] = []
        free = list(present)
        for pair in (*self.dumpers, *self.sparers, *self.friends):
            if set(pair) <= set(free) and len(free) >= 3 and self.rng.random() < 2 / 3:
                free = [p for p in free if p not in pair]
                tables.append([*pair, free.pop()])
        tables += [free[i : i + 3] for i in range(0, len(free) - 2, 3)]
        for table in tables:
            self.rng.shuffle(table)
        return tables

    def _hand(self, table: int, seated: list[int], ended_us: int) -> Hand:
        lord = self.rng.choice(seated)
        farmers = [p for p in seated if p != lord]
        edge = self.skill[lord] - sum(self.skill[p] for p in farmers) / 2
        chance = 0.5 + edge
        for loser, winner in self.dumpers:
            if loser in seated and winner in seated:
                chance = 0.9 if lord == winner else 0.1 if lord == loser else chance
        stake = 10 * 2 ** self.rng.choice([0, 0, 0, 1, 1, 2, 3])
        won = 2 * stake if self.rng.random() < chance else -2 * stake
        nets = {lord: won, **{p: -won // 2 for p in farmers}}
        weak = {p: self.rng.gauss(0, 0.2) for p in seated}  # a bad hand passes all along
        answers = []
        for _ in range(self.rng.randint(6, 14)):
            who, whom = self.rng.sample(seated, 2)
            if nets[who] * nets[whom] < 0:
                rate = self.habit[who] + weak[who]
                if {who, whom} in [set(pair) for pair in self.sparers]:
                    rate += 0.3
                answers.append(Answer(who, whom, passed=self.rng.random() < rate))
        turnover = sum(net for net in nets.values() if net > 0)
        return Hand(table, "doudizhu", ended_us, nets, turnover, 3, tuple(answers))


def listed(findings: Findings) -> set[Pair]:
    return {suspicion.pair for suspicion in findings.suspicions}


def looked_at(hall: Hall, address: frozenset[Pair] = frozenset()) -> Findings:
    return find(hall.hands(), same_address=address)


def rates(seeds: range, make: Callable[[int], Hall]) -> tuple[int, int, int]:
    """(planted pairs, of them listed, others listed) over several halls."""
    planted = caught = wrong = 0
    for seed in seeds:
        hall = make(seed)
        wanted = {*hall.dumpers, *hall.sparers}
        found = listed(looked_at(hall))
        planted += len(wanted)
        caught += len(found & wanted)
        wrong += len(found - wanted)
    return planted, caught, wrong


def colluding(seed: int) -> Hall:
    return Hall(seed, dumpers=((3, 7), (20, 31)), sparers=((11, 12), (40, 59)))


def test_planted_colluders_are_found_and_nobody_else() -> None:
    planted, caught, wrong = rates(range(5), colluding)
    print(f"{caught} of {planted} planted pairs listed, {wrong} others")
    assert caught >= 0.9 * planted
    assert wrong <= 1


def test_an_honest_hall_is_left_in_peace() -> None:
    _, _, wrong = rates(range(100, 108), Hall)
    print(f"8 honest halls: {wrong} pairs listed")
    assert wrong == 0


def test_friends_who_play_to_win_are_not_listed_for_sitting_together() -> None:
    friends = ((1, 2), (3, 4), (5, 6), (7, 8))
    _, _, wrong = rates(range(200, 204), lambda seed: Hall(seed, friends=friends))
    print(f"4 halls with 4 pairs of friends each: {wrong} pairs listed")
    assert wrong == 0


def test_one_address_makes_a_pair_that_always_meets_worth_a_look() -> None:
    hall = Hall(7, friends=((1, 2),))
    found = looked_at(hall, frozenset({(1, 2), (30, 31)}))
    assert listed(found) == {(1, 2)}
    (suspicion,) = found.suspicions
    assert suspicion.signals == ("meetings", "address") and suspicion.same_address
    assert suspicion.meetings > 3 * suspicion.meetings_expected


def test_what_is_said_about_a_pair_that_dumps() -> None:
    found = looked_at(Hall(1, dumpers=((3, 7),)))
    (suspicion,) = found.suspicions
    assert suspicion.pair == (3, 7)
    assert {"meetings", "flow"} <= set(suspicion.signals)
    assert suspicion.flow > 0  # from 3 to 7
    assert suspicion.flow_p <= 0.01 and suspicion.meetings_p <= 0.01
    mirrored = looked_at(Hall(1, dumpers=((7, 3),)))
    assert mirrored.suspicions[0].flow < 0


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_the_rates_over_many_halls() -> None:
    planted, caught, wrong = rates(range(1_000, 1_100), colluding)
    print(f"100 halls: {caught} of {planted} planted pairs listed, {wrong} others")
    assert caught >= 0.95 * planted and wrong <= 5
    _, _, honest = rates(range(2_000, 2_100), Hall)
    print(f"100 honest halls: {honest} pairs listed")
    assert honest <= 2


def test_tails() -> None:
    exact = sum(math.comb(10, k) * 0.3**k * 0.7 ** (10 - k) for k in range(6, 11))
    assert tails.at_least(6, [0.3] * 10) == pytest.approx(exact)
    assert tails.at_least(0, []) == 1.0 and tails.at_least(1, []) == 0.0
    assert tails.at_least(2, [1.0, 1.0]) == 1.0
    assert tails.at_least(60, [0.01] * 2_500) == pytest.approx(
        1 - sum(math.exp(-25) * 25**k / math.factorial(k) for k in range(60)), abs=1e-6
    )
    assert tails.above(1.6449) == pytest.approx(0.05, abs=1e-4)
    assert tails.self_normalised([]) == 0.0
    assert tails.self_normalised([1.0] * 9) == 3.0


def one_hand(table: int, minute: int, nets: dict[int, int]) -> Hand:
    turnover = sum(net for net in nets.values() if net > 0)
    ended = START_US + minute * 60 * 10**6
    return Hand(table, "p", ended, nets, turnover, len(nets), ())


def test_staying_together_is_one_meeting() -> None:
    nets = {1: 10, 2: -5, 3: -5}
    hands = [one_hand(1, minute, nets) for minute in range(0, 30, 2)]
    hands += [one_hand(1, 31, {1: 10, 2: -5, 4: -5})]  # 4 takes the place of 3
    hands += [one_hand(1, 60, nets)]  # after a rest
    met = Meetings.of(hands).met
    assert (met[1, 2], met[1, 3], met[2, 4], met[3, 4]) == (2, 2, 1, 0)


def test_who_plays_alone_in_the_hall_must_meet() -> None:
    meetings = Meetings.of([one_hand(1, 60 * n, {1: 2, 2: -1, 3: -1}) for n in range(50)])
    expected, chance = meetings.p_value((1, 2))
    assert (meetings.met[1, 2], expected, chance) == (50, 50.0, 1.0)


def test_losses_go_to_the_winners_in_proportion() -> None:
    flow = Flow.of([one_hand(1, 0, {1: -30, 2: 20, 3: 10})])
    assert (flow.coins[1, 2], flow.coins[1, 3], flow.coins[2, 3]) == (20, 10, 0)


def test_a_record_is_read_for_who_let_whom_pass() -> None:
    script = [
        (-1, "deal", "chance"),
        (0, "call 3", "player"),
        (0, "play 3s", "player"),
        (1, "pass", "player"),
        (2, "play 4s", "player"),
        (0, "pass", "timeout"),  # the clock's choice
        (1, "pass", "player"),  # 2 is a partner
        (2, "play 5s", "player"),
        (0, "play 6s", "player"),
    ]
    record = Record(
        game="doudizhu",
        version=1,
        package="1",
        parameters="",
        table="77",
        hand=1,
        seats=["5", "6", "7"],
        bots=[False, False, False],
        wealth=None,
        carry={},
        commitment="",
        contributions=[],
        secret="",
        actions=[RecordedAction(seat, action, 0, cause) for seat, action, cause in script],
        started_us=1,
        ended_us=2,
        outcome=RecordedOutcome("finished", [20, -10, -10], [0, 0, 0]),
    )
    hand = hand_of(record, pool="p")
    assert hand.answers == (Answer(6, 5, True), Answer(7, 5, False), Answer(5, 7, False))
    assert (hand.table, dict(hand.nets), hand.turnover) == (77, {5: 20, 6: -10, 7: -10}, 20)
