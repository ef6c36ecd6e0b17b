"""What a machine offers: plans of the operator, versions it has verified, what is wrong with some.

Pure. A plan names a version; when that one is not here, is yanked or faulty, the package stays at
the newest good version below it, unless the plan is pinned: then it is not offered at all.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from game_server.packages.shelf import FAULTY, INSTALLED, YANKED, Offer, Settings, Shelf
from paiju.packages.archive import newest, number
from paiju.wire.v1 import packages_pb2 as pb


@dataclass(frozen=True, kw_only=True)
class Known:
    """What the keeper knows. Names are "NAME/VERSION".

    versions: all that were ever verified, with their hashes. checked: found sound by their own
    cases. faulty: why. installed: package -> version beside the program.
    """

    versions: Mapping[str, str]
    checked: Collection[str] = ()
    yanked: Collection[str] = ()
    faulty: Mapping[str, str] = field(default_factory=dict)
    installed: Mapping[str, str] = field(default_factory=dict)

    def is_good(self, package: str, version: str) -> bool:
        name = f"{package}/{version}"
        if name in self.yanked or name in self.faulty:
            return False
        return self.installed.get(package) == version or name in self.checked

    def good(self, package: str) -> set[str]:
        """Versions that new tables may take."""
        named = {n.partition("/")[2] for n in self.versions if n.startswith(f"{package}/")}
        if package in self.installed:
            named.add(self.installed[package])
        return {version for version in named if self.is_good(package, version)}


def decide(
    plans: Collection[pb.PackagePlan], known: Known, *, rooms: Collection[pb.RoomSettings] = ()
) -> Shelf:
    offers, stopped = [], []
    for plan in plans:
        offer = _offer(plan, known) if plan.on else None
        if offer is None:
            stopped.append(plan.package)
        else:
            offers.append(offer)
    planned = {plan.package for plan in plans}
    for package in known.installed.keys() - planned:
        if not known.is_good(package, known.installed[package]):
            stopped.append(package)
    bad = {name: YANKED for name in known.yanked} | {name: FAULTY for name in known.faulty}
    return Shelf(
        offers=sorted(offers, key=lambda offer: offer.package),
        stopped=sorted(stopped),
        versions=dict(known.versions),
        bad=dict(sorted(bad.items())),
        rooms={
            one.room: Settings(number=one.number, values=json.loads(one.values)) for one in rooms
        },
    )


def _offer(plan: pb.PackagePlan, known: Known) -> Offer | None:
    version = _version(plan, known)
    if not version:
        return None
    staged = plan.staged if plan.staged and known.is_good(plan.package, plan.staged) else ""
    return Offer(
        package=plan.package,
        version=version,
        staged=staged if staged != version else "",
        percent=plan.percent if staged else 0,
        minimum_client=plan.minimum_client,
        change=plan.change,
    )


def _version(plan: pb.PackagePlan, known: Known) -> str:
    wanted = plan.version
    if wanted == INSTALLED:
        wanted = known.installed.get(plan.package, "")
    good = known.good(plan.package)
    if wanted in good or plan.pinned or not wanted:
        return wanted if wanted in good else ""
    return newest(version for version in good if number(version) < number(wanted))
