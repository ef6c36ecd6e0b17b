"""Bots and the driver against the fake hall's toy game."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from hall_client import HallClient
from hall_client.bots.player import BotPlayer, Habits
from hall_client.errors import Refused
from hall_client.events import Connected, Noticed, TableChanged
from hall_client.load.continuity import Continuity
from hall_client.load.driver import Driver, LoadPlan, Seen
from hall_client.load.drops import DropPlan
from hall_client.load.result import Latency
from hall_client.mirror import Outcome
from tests.unit.hall_client.fake_hall import KEYS, FakeHall


class Counting:
    def choose(self, view: Mapping[str, Any]) -> str:
        return f"say {view['last'] + 1}"


async def test_two_bots_play_as_many_hands_as_they_were_asked_to(hall: FakeHall) -> None:
    addresses = await hall.start()
    async with (
        HallClient(addresses, server_keys=KEYS.public) as a,
        HallClient(addresses, server_keys=KEYS.public) as b,
    ):
        bots = []
        for number, client in enumerate((a, b)):
            await client.guest(bytes([number]) * 32)
            habits = Habits(room="toy", hands=3, think_s=(0.0, 0.001))
            bots.append(
                BotPlayer(
                    client=client, mind=Counting(), habits=habits, choices=random.Random(number)
                )
            )
        accounts = await asyncio.wait_for(asyncio.gather(*(bot.run() for bot in bots)), 10)
    assert [account.hands for account in accounts] == [3, 3]
    assert [account.complaints for account in accounts] == [[], []]
    (toy,) = hall.tables.values()
    assert toy.hand == 3 and toy.players == [None, None]


@pytest.mark.parametrize("overtaken", [True, False])
async def test_a_refusal_counts_as_too_late_only_if_the_table_had_moved_on(
    overtaken: bool,
) -> None:
    """Two seats claim at once: the second one's claim is refused by the rules, not as stale."""

    async def act(table: Any, line: str) -> None:
        table.seq += overtaken
        raise Refused("TOO_WEAK")

    bot = BotPlayer(
        client=cast(HallClient, None),
        mind=Counting(),
        habits=Habits(room="toy"),
        choices=random.Random(1),
        act=act,
    )
    await bot._play(cast(Any, SimpleNamespace(seq=7, hand=1)), {"last": 0})
    assert bot.account.too_late == overtaken
    assert len(bot.account.complaints) == (not overtaken)


async def test_the_driver_counts_everything_and_drops_in_mid_hand(hall: FakeHall) -> None:
    plan = LoadPlan(
        gateways=await hall.start(gateways=2),
        server_keys=KEYS.public,
        room="toy",
        players=6,
        hands=30,
        drops=10,
        seed=7,
        drop_rate=0.1,
        away_s=(0.0, 0.02),
        arrivals_per_s=200,
        deadline_s=20,
    )
    seen = []
    result = await Driver(plan, make_mind=lambda number: Counting(), report=seen.append).run()
    assert result.errors == []
    assert result.hands >= 30 and result.voided == 0
    assert result.hands == sum(toy.hand for toy in hall.tables.values())
    assert result.resumes >= 10 and result.resumed_by_snapshot == 0
    assert result.latency_samples == result.actions
    # An answer that was lost with its connection came again: none is missing, none doubled.
    assert result.actions + result.too_late == sum(t.actions * t.hand for t in hall.tables.values())
    assert result.view_mismatches == 0 and result.views_checked > result.actions
    assert 0 < result.latency_ms.p50 <= result.latency_ms.p99 <= result.latency_ms.max
    assert all(player is None for toy in hall.tables.values() for player in toy.players)
    assert seen[-1].hands == result.hands


async def test_a_hall_that_mangles_updates_is_found_out(hall: FakeHall) -> None:
    hall.mangle = lambda update: [update, update] if update.table.seq == 8 else [update]
    plan = LoadPlan(
        gateways=await hall.start(),
        server_keys=KEYS.public,
        room="toy",
        players=2,
        hands=1,
        drops=0,
        seed=1,
        drop_rate=0,
        deadline_s=10,
    )
    result = await Driver(plan, make_mind=lambda number: Counting()).run()
    assert any("number 8 dropped" in error for error in result.errors)


def test_the_seed_decides_the_moments() -> None:
    def moments(seed: int, bot: int) -> list[object]:
        plan = DropPlan(seed=seed, bot=bot, rate=0.2, away_s=(0, 1))
        return [plan.next() for _ in range(50)]

    assert moments(1, 2) == moments(1, 2)
    assert moments(1, 2) != moments(1, 3) != moments(2, 3)


def test_a_needless_snapshot_after_a_resume_is_a_broken_promise() -> None:
    said: list[str] = []
    check = Continuity(said.append)

    def change(seq: int, *, epoch: int = 1, snapshot: bool = False, seat: int = 0) -> None:
        check(TableChanged(5, epoch, seq, Outcome.APPLIED, snapshot, seat=seat))

    change(3, snapshot=True)
    check(Connected("gw", resumed=True))
    change(4)
    assert check.verified == 1
    check(Connected("gw", resumed=True))
    change(9, snapshot=True, epoch=2)
    assert check.by_snapshot == 1 and not said
    check(Connected("gw", resumed=True))
    change(11, snapshot=True, epoch=2)
    assert len(said) == 1
    check(Connected("gw", resumed=True))
    change(12, snapshot=True, epoch=2, seat=-2)
    assert len(said) == 1, "the seat was lost meanwhile"


def test_percentiles_are_exact() -> None:
    assert Latency.of([i / 1000 for i in range(1, 101)]) == Latency(50.0, 99.0, 100.0)
    assert Latency.of([]) == Latency(0.0, 0.0, 0.0)


def test_a_lost_seat_is_an_error_with_its_reason_unless_the_version_ended() -> None:
    seen = Seen()
    for why in ("retired", "away", ""):
        seen.saw(Noticed("SEAT_LOST", "", 7, {"why": why} if why else {}))
    assert seen.errors == ["notice SEAT_LOST table 7 away", "notice SEAT_LOST table 7"]
