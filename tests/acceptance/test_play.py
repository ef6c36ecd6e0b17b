"""`paiju play` as somebody types it: any game, hints, lists, clear refusals."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from hall_client import HallClient
from hall_client.terminal import places
from paiju.wire.server_keys import encode
from tests.acceptance.command import run
from tests.integration.hall_client.mini_hall import MiniHall

pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def hall(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[MiniHall]:
    async with MiniHall(tmp_path_factory.mktemp("hall"), gateways=1) as hall:
        yield hall


async def _play(hall: MiniHall, folder: Path, *arguments: str, typed: str = "") -> tuple[int, str]:
    """Exit code, and both outputs."""
    where = ["--address", hall.gateways[0], "--server-key", encode(hall.server_keys[0])]
    done = await asyncio.to_thread(
        run,
        *("play", *where, "--data-dir", str(folder), "--think", "0.1", *arguments),
        stdin=typed,
        timeout_s=200,
        COLUMNS="160",
    )
    return done.returncode, done.stdout + done.stderr


async def test_a_hand_of_another_game(hall: MiniHall, tmp_path: Path) -> None:
    """The list, a hint and Enter, something that is not understood; the rest is played by hints."""
    code, said = await _play(
        hall, tmp_path, "--game", "douniu", "--lang", "en", "--name", "Ann", typed="l\nxyz\nh\n\n"
    )
    assert code == 0, said
    for text in ("Welcome, Ann", "Douniu", "#1 ", "Hint: ", "Result of hand 1"):
        assert text in said, said
    # A hand without a bull has no cards to name.
    assert "I cannot read" in said or "I do not understand that here" in said, said
    assert any(suit in said for suit in "♠♥♣♦")
    # The same guest again: the name that was given is not taken, and that is said.
    code, said = await _play(
        hall, tmp_path, "--game", "爱棋牌牛牛", "--name", "Bob", "--lang", "zh"
    )
    assert code == 0 and "你在这里已经叫 Ann" in said and "局结果" in said, said


async def test_what_cannot_be_played_is_a_sentence(hall: MiniHall, tmp_path: Path) -> None:
    code, said = await _play(hall, tmp_path, "--game", "chess", "--lang", "en")
    assert code == 1 and "No room here plays chess" in said and "gouji Gouji" in said, said
    code, said = await _play(hall, tmp_path, "--room", "nowhere", "--lang", "en")
    assert code == 1 and "There is no room nowhere" in said, said
    done = await asyncio.to_thread(
        run, "play", "--address", "foo bar", "--server-key", encode(hall.server_keys[0])
    )
    assert done.returncode == 2 and "is not HOST:PORT" in done.stderr, done.stderr


async def test_a_seat_that_is_still_held_comes_first(hall: MiniHall, tmp_path: Path) -> None:
    async with HallClient(hall.gateways, server_keys=hall.server_keys) as client:
        await client.guest(places.device_secret(tmp_path))
        await client.quick_join("douniu.novice")
    code, said = await _play(hall, tmp_path, "--game", "doudizhu", "--lang", "en", typed="q\n")
    assert code == 0 and "still have a seat at another table" in said, said
    assert "Douniu" in said and "Dou Dizhu" not in said, said
