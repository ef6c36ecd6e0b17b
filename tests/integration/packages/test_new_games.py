"""Two whole games reach servers that never heard of them: no code of a server knows their names."""

from __future__ import annotations

from pathlib import Path

import pytest
from conftest import Hall, until  # type: ignore[import-not-found]

from paiju.packages import archive
from paiju.rules.api import CHANCE
from paiju.rules.shuffle import ShakeRng
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb
from tests.packages.publishing import give, publish

GAMES = Path(__file__).resolve().parents[3] / "games"


@pytest.mark.parametrize("name", ["paodekuai", "reversi"])
async def test_a_new_game_is_published_live_and_played(hall: Hall, name: str) -> None:
    machine = await hall.machine("gs-0")
    author = await give(hall.admin, hall.keys, "ann", name)
    reply = await publish(hall.admin, "ann", author, archive.build(GAMES / name))
    assert not reply.HasField("refusal"), reply
    start = pb.SetPlanRequest(op=new_op(), step=pb.PLAN_START, package=name, reason="new")
    assert not (await hall.admin.SetPlan(start)).HasField("refusal")
    room = f"{name}.novice"
    await until(lambda: room in machine.games.rooms())
    chosen = machine.games.choose(room, 1)
    assert type(chosen.game).__module__.startswith("paiju_games.")
    state = chosen.game.new_state(chosen.room.seats_for(chosen.game), wealth=None)
    rng = ShakeRng(b"new game")
    while not state.is_terminal():
        (seat,) = state.to_act()
        action = state.sample_chance(rng) if seat == CHANCE else state.hint(seat)
        state.apply(seat, action)
    outcome = state.outcome()
    assert sum(outcome.deltas) + sum(outcome.fees) == 0
