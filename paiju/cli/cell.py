"""A hall of two game servers on this machine, one cell: what is left when one of them dies?

    async with CellHall(data_dir=Path("hall"), database="postgresql", shared_journal=True) as hall:
        hall.kill("second")

The first game server, `local`, is the head of the cell; `second` joins it under another
address of the loopback, with a data folder of its own. Both have what LocalHall says.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from typing import Any

from game_server.supervisor import orphans
from paiju.cli.local import END_GAME_WITHIN_S, LocalHall, Program, free_ports

HEAD, SECOND = "local", "second"
SECOND_IP = "127.0.0.2"
HEAD_TABLES, SECOND_TABLES = "100", "250"
"""The second has more than twice the space: rooms open there, whoever comes first."""


class CellHall(LocalHall):
    """LocalHall's settings are for both; `gateways` and `hosts` for the second game server.

    head_gateways, head_hosts: of the head. head_takes_players: whether its gateways are told.
    head_name: by which the second one finds the head; empty: its address.
    """

    def __init__(
        self,
        *,
        head_gateways: int = 1,
        head_hosts: int = 1,
        head_takes_players: bool = True,
        head_name: str = "",
        **given: Any,
    ) -> None:
        self._head_takes_players = head_takes_players
        self._head_name = head_name
        self._second_gateways = given.pop("gateways", 1)
        self._second_hosts = given.pop("hosts", 1)
        super().__init__(gateways=head_gateways, hosts=head_hosts, **given)
        self._settings.setdefault("max_tables", HEAD_TABLES)
        # A head comes back where the others look for it.
        self._settings.setdefault("ray_port", str(free_ports(0, 1, "")))

    @property
    def processes(self) -> dict[str, int]:
        found = super().processes
        if self._second.pid:
            found[SECOND] = self._second.pid
        return {**found, **self._second.state().get("processes", {})}

    @property
    def hosts(self) -> dict[str, int]:
        return {**super().hosts, **self._second.state().get("hosts", {})}

    @contextlib.contextmanager
    def held_down(self, name: str) -> Iterator[None]:
        """As LocalHall, and a game server by its name."""
        program = {SECOND: self._second, HEAD: self._game}.get(name)
        if program is None:
            with super().held_down(name):
                yield
            return
        program.may_run.clear()
        try:
            yield
        finally:
            program.may_run.set()

    def kill(self, server: str) -> None:
        """SIGKILL to everything of a game server at once, as if its machine had died."""
        program = self._second if server == SECOND else self._game
        if not program.pid:
            return
        for pid in [program.pid, *orphans.descendants(program.pid)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    def is_up(self, server: str) -> bool:
        """Whether the game server has said that it is ready, since its last start."""
        return bool((self._second if server == SECOND else self._game).state())

    async def _start(self) -> None:
        await super()._start()
        self.ray_address = self._game.state()["ray_address"]
        if self._head_name:
            self.ray_address = f"{self._head_name}:{self.ray_address.rpartition(':')[2]}"
        state = await self._second.start(
            **{
                **self._settings,
                "server": SECOND,
                "max_tables": SECOND_TABLES,
                "data_dir": str(self._second.folder),
                "data_servers": self.data_server,
                "gateways": str(self._second_gateways),
                "hosts": str(self._second_hosts),
                "listen_port": str(free_ports(0, self._second_gateways, "")),
                "metrics_port": str(free_ports(0, 1, "")),
                "node_ip": SECOND_IP,
                "ray_address": self.ray_address,
                **{
                    f"{name.replace('-', '_')}_file": str(self._folder / name)
                    for name in ("cluster-token", "cell-secret", "ray-token", "journal-key")
                },
                "seal_keys_file": str(self._folder / "seal-keys.json"),
            }
        )
        self.gateways = [*state["gateways"], *(self.gateways if self._head_takes_players else ())]
        self.metrics["game-server-second"] = state["metrics"]

    def _prepare(self) -> None:
        super()._prepare()
        folder = self._folder / SECOND
        (folder / "logs").mkdir(mode=0o700, parents=True, exist_ok=True)
        self._second = Program(
            name="game-server", module="game_server", folder=folder, record=self._record
        )

    async def _stop(self) -> None:
        if hasattr(self, "_second"):
            await self._second.stop(within_s=END_GAME_WITHIN_S)
        await super()._stop()
