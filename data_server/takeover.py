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
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import structlog
from sqlalchemy.engine import Connection

from data_server.registry import Registry
from data_server.store import takeovers
from data_server.store.database import Database

log = structlog.get_logger()

SHARE = 1000
"""A host that is given away counts as so many players for whoever gets the next one."""


@dataclass(frozen=True, slots=True)
class Able:
    """A living host that could go on with tables of others. load: players of its server."""

    server: str
    games: frozenset[str]
    load: int


Group = tuple[str, str]
"""Cell and journal: who is in one group could go on with each other's tables."""


def choose_keeper(able: Iterable[Able], *, games: Set[str], but: str = "") -> str | None:
    """The server with least to do, other than `but`; None when none can. Pure."""
    found = [(one.load, one.server) for one in able if games <= one.games and one.server != but]
    return min(found)[1] if found else None


@dataclass(frozen=True, kw_only=True)
class Takeover:
    database: Database
    registry: Registry

    async def look(self) -> None:
        """Once per poll, after it: give away what lost servers had."""
        hosts = await self.database.read(takeovers.sharing)
        self.registry.with_heirs = self._with_heirs(hosts)
        silent = self.registry.lost_servers()
        if not silent or not await self.database.read(lambda tx: takeovers.lost(tx, silent)):
            return
        given = await self.database.write(lambda tx: self._give(tx, silent))
        for host, lost, keeper in given:
            log.warning("host.given_away", host=host, lost=lost, keeper=keeper)
            self.registry.end_lease(lost)
        if given:
            await self.registry.poll()

    def _give(self, tx: Connection, silent: set[str]) -> list[tuple[str, str, str]]:
        hosts = takeovers.sharing(tx)
        given: list[tuple[str, str, str]] = []
        for row in takeovers.lost(tx, silent):
            able = self._able(hosts, more=Counter(keeper for _, _, keeper in given))
            keeper = choose_keeper(able.get(_group(row), ()), games=_games(row))
            if keeper is not None and takeovers.give(tx, row, keeper=keeper):
                given.append((row.host, row.runner, keeper))
        return given

    def _with_heirs(self, hosts: Sequence[Any]) -> frozenset[str]:
        """Living servers all of whose hosts another one could go on with."""
        able = self._able(hosts)
        alone = set()
        for row in hosts:
            heir = choose_keeper(able.get(_group(row), ()), games=_games(row), but=row.server)
            if heir is None:
                alone.add(row.server)
        return frozenset(row.server for row in hosts if row.server not in alone)

    def _able(
        self, hosts: Iterable[Any], *, more: Mapping[str, int] | None = None
    ) -> dict[Group, list[Able]]:
        """Hosts of living servers that do not drain. more: hosts that a server is given just
        now; so many of them that each gets its share."""
        registry, lost = self.registry, self.registry.lost_servers()
        loads = Counter({server: SHARE * number for server, number in (more or {}).items()})
        for row in hosts:
            loads[row.server] += row.players
        found: dict[Group, list[Able]] = {}
        for row in hosts:
            lives = registry.is_alive(row) and registry.server_alive(row.server)
            if lives and row.server not in lost and row.server not in registry.draining:
                able = Able(row.server, _games(row), loads[row.server])
                found.setdefault(_group(row), []).append(able)
        return found


def _group(row: Any) -> Group:
    return row.cell, row.journal


def _games(row: Any) -> frozenset[str]:
    return frozenset(json.loads(row.games))
