"""What a machine tells the data server about each version it has. Pure."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

from game_server.packages.deciding import Known
from game_server.packages.shelf import INSTALLED, RoomTold, Shelf
from paiju.rules.registry import Manifest
from paiju.wire.v1 import packages_pb2 as pb

Told = dict[str, Any]
"""Of one version on one host: package, version, tables, faults, bad, detail, change (of the
offer under which it was found bad)."""


def states(
    shelf: Shelf,
    known: Known,
    hosts: Sequence[Told],
    manifest: Callable[[str, str], Manifest | None],
) -> tuple[list[pb.GameState], list[str]]:
    """(one state per version, rule sets that are offered)."""
    offered = {
        package: (version, "")
        for package, version in known.installed.items()
        if package not in shelf.stopped
    }
    offered.update(
        {o.package: (_named(o.version, o.package, known), o.staged) for o in shelf.offers}
    )
    names = {*known.versions, *(f"{p}/{v}" for p, v in known.installed.items())}
    names |= {f"{told['package']}/{told['version']}" for told in hosts}
    found = [_state(name, offered, known, hosts) for name in sorted(names)]
    rule_sets: set[str] = set()
    for package, (version, _) in offered.items():
        described = manifest(package, version)
        rule_sets |= described.rule_set_names() if described is not None else set()
    return found, sorted(rule_sets)


def room_state(told: RoomTold) -> pb.RoomState:
    return pb.RoomState(
        room=told.room,
        package=told.package,
        version=told.version,
        preset=json.dumps(told.preset, sort_keys=True, ensure_ascii=False),
        schema=json.dumps(told.schema, sort_keys=True, ensure_ascii=False),
        number=told.number,
        refused=told.refused,
    )


def _named(version: str, package: str, known: Known) -> str:
    return known.installed.get(package, "") if version == INSTALLED else version


def _state(
    name: str, offered: dict[str, tuple[str, str]], known: Known, hosts: Sequence[Told]
) -> pb.GameState:
    package, _, version = name.partition("/")
    told = [t for t in hosts if (t["package"], t["version"]) == (package, version)]
    tables = sum(t["tables"] for t in told)
    main, staged = offered.get(package, ("", ""))
    if name in known.faulty:
        state = "faulty"
    elif name in known.yanked:
        state = "yanked"
    elif version == main:
        state = "offered"
    elif version == staged:
        state = "staged"
    else:
        state = "finishing" if tables else "verified"
    return pb.GameState(
        package=package,
        version=version,
        state=state,
        tables=tables,
        faults=sum(t["faults"] for t in told),
        detail=known.faulty.get(name, ""),
    )
