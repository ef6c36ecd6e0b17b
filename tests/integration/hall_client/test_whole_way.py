"""Bots play Dou Dizhu through real gateways and a real table host."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from sqlalchemy import create_engine

from hall_client import HallClient
from hall_client.bots.mind import GameMind, RandomMind
from hall_client.load.books import read_books, verify_records
from hall_client.load.driver import Driver, LoadPlan
from paiju.rules.registry import Registry
from tests.integration.hall_client import wire_recorder
from tests.integration.hall_client.mini_hall import MiniHall
from tests.integration.hall_client.wire_recorder import Recorder, look_on

REGISTRY = Registry.default()


async def test_hands_are_played_connections_dropped_and_no_coin_is_lost(tmp_path: Path) -> None:
    """And nobody is told a card that is not his to see, also whoever comes back or looks on."""
    with Recorder.listening() as recorder:
        async with MiniHall(tmp_path) as hall:
            looking = asyncio.create_task(look_on(hall, recorder))
            await _play(hall)
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            wire_recorder.check(recorder, hall.database_url)


async def _play(hall: MiniHall) -> None:
    plan = LoadPlan(
        # Both edges: who is dropped comes back by the other one.
        gateways=[*hall.gateways, *hall.web_gateways],
        server_keys=hall.server_keys,
        room="doudizhu.novice",
        players=12,
        hands=12,
        drops=10,
        seed=7,
        drop_rate=0.06,
        away_s=(0.0, 0.2),
        deadline_s=60,
    )

    def mind(number: int) -> GameMind | RandomMind:
        if number % 2:
            return GameMind(REGISTRY)
        return RandomMind(REGISTRY, random.Random(number))

    result = await Driver(plan, make_mind=mind).run()
    assert result.errors == []
    assert result.hands >= 12 and result.voided == 0
    assert result.resumes >= 10 and result.view_mismatches == 0
    engine = create_engine(hall.database_url)
    books = read_books(engine)
    assert (books.sum, books.unbalanced, books.escrow, books.open_sittings) == (0, 0, 0, 0)
    assert books.settlements == books.records == result.hands and books.voided == 0
    assert verify_records(engine, REGISTRY) == (result.hands, [])
    engine.dispose()


async def test_a_snapshot_can_be_asked_for_at_any_time(tmp_path: Path) -> None:
    async with (
        MiniHall(tmp_path, gateways=1) as hall,
        HallClient(hall.gateways, server_keys=hall.server_keys) as client,
    ):
        await client.guest(b"s" * 32)
        table = await client.quick_join("doudizhu.novice")
        before = client.counters().snapshots
        await table.resync()
        await table.wait(lambda _: client.counters().snapshots > before, timeout_s=5)


def _rooms() -> list[tuple[str, int]]:
    """One of each game, with the most players that it takes."""
    found = {}
    for preset in REGISTRY.rooms():
        game = REGISTRY.latest(preset.game, dict(preset.parameters))
        found.setdefault(preset.game, (preset.id, game.info.max_seats))
    return sorted(found.values())


@pytest.mark.soak
@pytest.mark.parametrize(("room", "players"), _rooms(), ids=[room for room, _ in _rooms()])
async def test_in_no_game_is_anybody_told_a_card_that_is_not_his(
    tmp_path: Path, room: str, players: int
) -> None:
    with Recorder.listening() as recorder:
        async with MiniHall(tmp_path) as hall:
            looking = asyncio.create_task(look_on(hall, recorder))
            plan = LoadPlan(
                gateways=[*hall.gateways, *hall.web_gateways],
                server_keys=hall.server_keys,
                room=room,
                players=players,
                hands=2,
                drops=0,
                seed=11,
                drop_rate=0.08,
                away_s=(0.0, 0.2),
                deadline_s=150,
            )
            result = await Driver(plan, make_mind=lambda _: GameMind(REGISTRY)).run()
            assert result.errors == [] and result.hands >= 2
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
            wire_recorder.check(recorder, hall.database_url)
