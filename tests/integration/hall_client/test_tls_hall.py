"""A hall with TLS everywhere: players by grpcs and wss, our servers among each other."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from hall_client import ChannelPool, ConnectionFailed, HallClient, Tls
from hall_client.bots.mind import GameMind, RandomMind
from hall_client.load.driver import Driver, LoadPlan
from paiju.rules.registry import Registry
from paiju.wire.server_keys import encode
from paiju.wire.tls.authority import CA_FILE, Authority
from tests.acceptance.command import run
from tests.integration.hall_client.mini_hall import MiniHall

REGISTRY = Registry.default()


async def test_hands_are_played_with_tls_on_every_way(tmp_path: Path) -> None:
    async with MiniHall(tmp_path, tls=True) as hall:
        tls = Tls.load(hall.tls_folder / CA_FILE)
        assert all(address.startswith("grpcs://") for address in hall.gateways)
        plan = LoadPlan(
            gateways=hall.gateways,
            server_keys=hall.server_keys,
            room="doudizhu.novice",
            players=6,
            hands=4,
            drops=3,
            seed=7,
            drop_rate=0.06,
            away_s=(0.0, 0.2),
            deadline_s=60,
            tls=tls,
        )

        def mind(number: int) -> GameMind | RandomMind:
            if number % 2:
                return GameMind(REGISTRY)
            return RandomMind(REGISTRY, random.Random(number))

        result = await Driver(plan, make_mind=mind).run()
        assert result.errors == []
        assert result.hands >= 4 and result.resumes >= 3 and result.view_mismatches == 0
        assert any('"link.opened"' in line for line in hall.logs), "by TCP, as of another machine"
        await _who_is_not_believed(hall, tmp_path)
        _a_person_plays(hall, tmp_path)


async def test_a_load_runs_by_tls(tmp_path: Path) -> None:
    async with MiniHall(tmp_path, tls=True) as hall:
        _a_load_runs(hall, tmp_path)


async def _who_is_not_believed(hall: MiniHall, tmp_path: Path) -> None:
    """A client goes to nobody whose certificate another authority gave, or for another name."""
    Authority.make(tmp_path / "other", cell="c")
    for tls in (
        Tls.load(tmp_path / "other" / CA_FILE),
        Tls.load(hall.tls_folder / CA_FILE, name="hall.example"),
        None,  # the system's authorities
    ):
        client = HallClient(
            hall.gateways, server_keys=hall.server_keys, tls=tls, connect_timeout_s=1.0
        )
        with pytest.raises(ConnectionFailed):
            await client.connect()
    plain = [address.removeprefix("grpcs://") for address in hall.gateways]
    async with ChannelPool() as pool:
        client = HallClient(plain, server_keys=hall.server_keys, pool=pool, connect_timeout_s=1.0)
        with pytest.raises(ConnectionFailed):
            await client.connect()


def _a_person_plays(hall: MiniHall, tmp_path: Path) -> None:
    arguments = [
        *("play", "--address", hall.gateways[0], "--server-key", encode(hall.server_keys[0])),
        *("--data-dir", str(tmp_path / "person"), "--lang", "en", "--think", "0.01"),
    ]
    ca = str(hall.tls_folder / CA_FILE)
    played = run(*arguments, "--ca", ca, timeout_s=60)
    assert played.returncode == 0, played.stderr
    assert "coins" in played.stdout
    wrong = run(*arguments, "--ca", str(tmp_path / "nowhere.pem"), timeout_s=60)
    assert wrong.returncode == 1 and "cannot read" in wrong.stderr
    assert "Traceback" not in wrong.stderr


def _a_load_runs(hall: MiniHall, tmp_path: Path) -> None:
    """`paiju load` by TLS: with the authority it plays, without it it says why it does not."""
    arguments = [
        *("load", "players", "--address", hall.gateways[0], "--json", "-"),
        *("--server-key", encode(hall.server_keys[0]), "--players", "3", "--seconds", "2"),
        *("--warm-up", "0", "--processes", "1", "--rate", "20"),
    ]
    loaded = run(*arguments, "--ca", str(hall.tls_folder / CA_FILE), timeout_s=60)
    assert loaded.returncode == 0, loaded.stderr + loaded.stdout + loaded.stdout
    figures = json.loads(loaded.stdout)
    assert figures["seated"] == 3 and figures["actions"] > 0 and figures["errors"] == 0
    unbelieved = run(*arguments, timeout_s=60)
    assert unbelieved.returncode == 1 and "lets nobody in" in unbelieved.stderr
    missing = run(*arguments, "--ca", str(tmp_path / "nowhere.pem"), timeout_s=60)
    assert missing.returncode == 1 and "cannot read" in missing.stderr
    assert "Traceback" not in unbelieved.stderr + missing.stderr
