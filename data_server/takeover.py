"""Hosts of a lost machine are given to others (docs/contracts/takeover.md).

A game server that is silent for `takeover_s` is lost. Each of its hosts at whose tables
players sit, and whose journal others share, is given to a living server of the cell that has a
host with the same journal and all its games. That server hears of it with its next heartbeat.
Nothing is decided about tables here: the journal's epoch and the ledger's fence are what keep
the lost one from writing, should it only have been silent.

Owner: each data server for itself, right after it has looked at all leases; the row of the
host decides between two.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.engine import Connection

from data_server.registry import Registry
from data_server.store import nodes, takeovers
from data_server.store.database import Database

log = structlog.get_logger()


@dataclass(frozen=True, slots=True)
class Able:
    """A living host that could go on with tables of others. load: players of its server."""

    server: str
    cell: str
    journal: str
    games: frozenset[str]
    load: int


def choose_keeper(able: Iterable[Able], *, cell: str, journal: str, games: set[str]) -> str | None:
    """The server with least to do; None when none can. Pure."""
    found = [
        (one.load, one.server)
        for one in able
        if journal and one.cell == cell and one.journal == journal and games <= one.games
    ]
    return min(found)[1] if found else None


@dataclass(frozen=True, kw_only=True)
class Takeover:
    database: Database
    registry: Registry

    async def look(self) -> None:
        """Once per poll, after it: give away what lost servers had."""
        hosts = await self.database.read(nodes.all_hosts)
        self.registry.with_heirs = self._with_heirs(hosts)
        silent = self.registry.lost_servers()
        if not silent:
            return
        if not await self.database.read(lambda tx: takeovers.lost(tx, silent)):
            return
        given = await self.database.write(lambda tx: self._give(tx, silent))
        for host, lost, keeper in given:
            log.warning("host.given_away", host=host, lost=lost, keeper=keeper)
            self.registry.end_lease(lost)
        if given:
            await self.registry.poll()

    def _give(self, tx: Connection, silent: set[str]) -> list[tuple[str, str, str]]:
        rows = takeovers.lost(tx, silent)
        hosts = nodes.all_hosts(tx)
        loads = _loads(hosts)
        given = []
        for row in rows:
            keeper = _choose(self._able(hosts, loads), row)
            if keeper is not None and takeovers.give(tx, row, keeper=keeper):
                loads[keeper] = loads.get(keeper, 0) + row.players + 1
                given.append((row.host, row.runner, keeper))
        return given

    def _with_heirs(self, hosts: Sequence[Any]) -> frozenset[str]:
        able = self._able(hosts, _loads(hosts))
        found = {row.server for row in hosts if self.registry.is_alive(row)}
        for row in hosts:
            if row.server in found and not _choose(
                (a for a in able if a.server != row.server), row
            ):
                found.discard(row.server)
        return frozenset(found)

    def _able(self, hosts: Iterable[Any], loads: dict[str, int]) -> list[Able]:
        """Living servers that do not drain, once per host."""
        lost = self.registry.lost_servers()
        return [
            Able(
                row.server,
                row.cell,
                row.journal,
                frozenset(json.loads(row.games)),
                loads[row.server],
            )
            for row in hosts
            if self.registry.is_alive(row)
            and self.registry.server_alive(row.server)
            and row.server not in lost
            and row.server not in self.registry.draining
        ]


def _choose(able: Iterable[Able], row: Any) -> str | None:
    games = set(json.loads(row.games))
    return choose_keeper(able, cell=row.cell, journal=row.journal, games=games)


def _loads(hosts: Iterable[Any]) -> dict[str, int]:
    """Players by server."""
    found: dict[str, int] = {}
    for row in hosts:
        found[row.server] = found.get(row.server, 0) + row.players
    return found
