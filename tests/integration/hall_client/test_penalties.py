"""An operator's warning reaches the player: live, at his next login, and in `paiju play`."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from hall_client import HallClient
from hall_client.events import Event, Penalized
from paiju.wire.server_keys import encode
from tests.acceptance.command import paiju, run
from tests.integration.gateway.conftest import until
from tests.integration.hall_client.mini_hall import MiniHall

SECRET = b"p" * 32


class Listener:
    def __init__(self, hall: MiniHall, *, locale: str = "en") -> None:
        self.told: list[Penalized] = []
        self.client = HallClient(
            hall.gateways, server_keys=hall.server_keys, locale=locale, observer=self._observe
        )

    def _observe(self, event: Event) -> None:
        if isinstance(event, Penalized):
            self.told.append(event)


async def punish(hall: MiniHall, folder: Path, player: int, *what: str) -> None:
    admin = json.loads((folder / "data-server.json").read_text())["admin"]
    reach = ["--address", admin, "--key-file", str(folder / "admin-key")]
    arguments = ["admin", "punish", str(player), *what, "--reason", "bad words", *reach]
    await asyncio.to_thread(paiju, *arguments)


async def test_a_warning_is_told_live_and_at_the_next_login(tmp_path: Path) -> None:
    async with MiniHall(tmp_path, gateways=2) as hall:
        me, other = Listener(hall), Listener(hall, locale="zh")
        await me.client.connect()
        await other.client.connect()
        player = (await me.client.guest(SECRET)).profile.player
        await other.client.guest(b"o" * 32)
        await punish(hall, tmp_path, player, "warn")
        await until(lambda: me.told)
        assert me.told[0].notice.text == "You have been warned: bad words."
        await punish(hall, tmp_path, player, "fine", "--coins", "300")
        await until(lambda: len(me.told) == 2, within_s=10)
        assert me.told[1].notice.text == "You have been fined 300 coins: bad words."
        assert (await me.client.wallet()).coin == 9_700
        assert other.told == []
        await me.client.heard(me.told[0].notice.id)
        await me.client.close()

        again = Listener(hall, locale="zh")
        await again.client.connect()
        await again.client.guest(SECRET)
        assert [event.notice.text for event in again.told] == ["你被罚 300 财力：bad words。"]
        await again.client.renew()
        assert len(again.told) == 1, "told once by one client"
        await again.client.close()
        await other.client.close()

        _a_person_sees_it(hall, tmp_path / "person")


def _a_person_sees_it(hall: MiniHall, folder: Path) -> None:
    folder.mkdir()
    (folder / "guest-secret").write_text(SECRET.hex() + "\n")
    arguments = [
        *("play", "--address", hall.gateways[0], "--server-key", encode(hall.server_keys[0])),
        *("--data-dir", str(folder), "--lang", "en", "--think", "0.01"),
    ]
    first = run(*arguments, timeout_s=60)
    assert "You have been fined 300 coins: bad words." in first.stdout, first.stderr
    assert "fined" not in run(*arguments, timeout_s=60).stdout, "it was heard"
