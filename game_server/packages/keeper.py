"""The keeper: follows the repository for this machine and decides what it offers.

Owner of the folder of packages: the follower's cache, the shelf, and what is known of each
version. One per machine, in the supervisor; what blocks runs in a thread. A round asks for the
operator's plans and writes the shelf when something has changed; beside that, what is new is
verified and checked by its own cases, which takes as long as it takes: whoever stops a game waits
for no download. Rounds come with each push of the data server, and now and then without one.
Whatever fails leaves the shelf as it is: no update ever takes away what is played.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any

import msgspec
import structlog

from game_server.data_client import DataClient
from game_server.packages import health
from game_server.packages.deciding import Known, decide
from game_server.packages.remote import Remote
from game_server.packages.reporting import Told, room_state, states
from game_server.packages.shelf import FILE, BadShelf, RoomTold, Shelf, ShelfFile
from game_server.supervisor.metrics import SupervisorMetrics
from paiju.packages import archive
from paiju.packages.follower import Follower, Unreachable, Untrusted
from paiju.rules.registry import Manifest
from paiju.service.refusals import Refused
from paiju.wire.v1 import packages_pb2 as pb

log = structlog.get_logger()

POLL_S = 5.0
LOOK_S = 0.5
REPORT_S = 10.0
AGAIN_S = (0.2, 5.0)
NOTES = "known.json"


class _Notes(msgspec.Struct):
    """What survives the process. faulty: name -> [why, change of the plan it was offered by]."""

    checked: list[str] = []
    unsound: dict[str, str] = {}
    faulty: dict[str, tuple[str, int]] = {}


class Keeper:
    """hosts: what each host says of its versions. lease_epoch: of this server, 0 without one.

    root: the repository's root as it was installed; None: this hall has no repository.
    """

    def __init__(
        self,
        *,
        server: str,
        folder: Path,
        key: bytes,
        root: bytes | None,
        data: DataClient,
        installed: Mapping[str, Manifest],
        hosts: Callable[[], list[Told]],
        lease_epoch: Callable[[], int],
        metrics: SupervisorMetrics,
    ) -> None:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._server = server
        self._folder = folder
        self._data = data
        self._installed = installed
        self._hosts = hosts
        self._lease_epoch = lease_epoch
        self._metrics = metrics
        self._file = ShelfFile(folder, key)
        self._shelf = self._read_shelf()
        self._notes = self._read_notes()
        self._root, self._key = root, key
        self._follower: Follower | None = None
        self._plans = pb.GetPlansReply()
        self._planned, self._published = asyncio.Event(), asyncio.Event()
        self._reported = b""
        self._report_at = 0.0
        self._rooms_reported: tuple[int, list[RoomTold]] = (0, [])
        self._refused = False

    async def run(self) -> None:
        """For ever."""
        if self._root is not None:
            remote = Remote(self._data, asyncio.get_running_loop())
            self._follower = Follower(
                self._folder, root=self._root, key=self._key, fetch=remote.fetch
            )
        await asyncio.gather(
            self._listen(),
            self._rounds(self._planned, self._ask),
            self._rounds(self._published, self._update),
            self._watch(),
        )

    # ---- when ------------------------------------------------------------------------------

    async def _listen(self) -> None:
        """A round with each change that is pushed."""
        request = pb.FollowChangesRequest(server=self._server)
        pause = AGAIN_S[0]
        while True:
            begun = time.monotonic()
            try:
                async with aclosing(self._data.stream("FollowChanges", request)) as changes:
                    async for _ in changes:
                        self._planned.set()
                        self._published.set()
            except Exception as error:
                log.warning("packages.not_followed", error=repr(error))
            lasted = time.monotonic() - begun > AGAIN_S[1]
            pause = AGAIN_S[0] if lasted else min(AGAIN_S[1], pause * 2)
            await asyncio.sleep(pause)

    async def _rounds(self, wake: asyncio.Event, work: Callable[[], Awaitable[None]]) -> None:
        while True:
            wake.clear()
            try:
                await work()
            except Refused as refused:
                log.warning("packages.no_plans", code=refused.code)
            except Exception:
                log.exception("packages.round_failed")
            try:
                async with asyncio.timeout(POLL_S):
                    await wake.wait()
            except TimeoutError:
                pass

    async def _watch(self) -> None:
        """What hosts say: versions that raise at tables, and counts for the data server."""
        while True:
            await asyncio.sleep(LOOK_S)
            try:
                if self._note_faults():
                    self._write()
                await self._report()
            except Exception:
                log.exception("packages.watch_failed")

    # ---- a round ---------------------------------------------------------------------------

    async def _ask(self) -> None:
        self._plans = await self._data.call("GetPlans", pb.GetPlansRequest(server=self._server))
        self._write()

    async def _update(self) -> None:
        if self._follower is None:
            return
        await asyncio.to_thread(self._refresh)
        self._write()
        while (name := self._unchecked()) is not None:
            await self._check(name)
            self._write()

    def _refresh(self) -> None:
        """Blocking. Verify what is new; what does not verify is counted and left out."""
        follower = self._follower
        assert follower is not None
        before, vain = set(follower.versions), set(follower.in_vain)
        try:
            follower.refresh()
            self._metrics.package_refreshed.set_to_current_time()
        except Untrusted as error:
            self._metrics.package_refused.inc()
            log.error("packages.untrusted", error=str(error))
        except Unreachable as error:
            self._metrics.package_unreachable.inc()
            log.warning("packages.unreachable", error=str(error))
        for listed in sorted(follower.in_vain - vain):
            self._metrics.package_refused.inc()
            log.error("packages.not_his", listed=listed)
        for version in sorted(follower.versions.keys() - before):
            log.info("packages.verified", version=version)

    def _unchecked(self) -> str | None:
        """A version that came and was not tried yet; one that a plan asks for comes first."""
        assert self._follower is not None
        wanted = {f"{p.package}/{v}" for p in self._plans.plans for v in (p.version, p.staged)}
        known = {*self._notes.checked, *self._notes.unsound}
        new = [name for name in self._follower.versions if name not in known]
        return min(new, key=lambda name: (name not in wanted, name), default=None)

    async def _check(self, name: str) -> None:
        """Takes seconds, in a process of its own."""
        assert self._follower is not None
        digest, begun = self._follower.versions[name], time.monotonic()
        wrong = self._clash(name, digest)
        wrong = wrong or await health.check(self._folder / "archives" / f"{digest}.zip")
        if wrong:
            self._notes.unsound[name] = wrong
            log.error("packages.unsound", version=name, error=wrong)
        else:
            self._notes.checked.append(name)
            log.info("packages.sound", version=name, seconds=round(time.monotonic() - begun, 1))

    def _clash(self, name: str, digest: str) -> str:
        """One name means one thing: what is published takes nothing from what is installed."""
        package, _, version = name.partition("/")
        try:
            new = self._file.contents({name: digest}, name).manifest.rule_set_names()
        except BadShelf as error:
            return str(error)
        for other, manifest in self._installed.items():
            if other != package and new & manifest.rule_set_names():
                return f"it has games of the installed package {other}"
        own = self._installed.get(package)
        if own is None or own.version != version:
            return ""
        same = installed_digest(package) == digest
        return "" if same else "it is installed here with other contents"

    def _known(self) -> Known:
        versions = dict(self._shelf.versions)
        listed = self._follower.versions if self._follower is not None else versions
        versions.update(listed)
        taken_back = versions.keys() - listed.keys() if self._fresh() else set()
        return Known(
            versions=versions,
            checked=set(self._notes.checked),
            yanked={*self._plans.yanked, *taken_back},
            faulty=self._notes.unsound | {n: why for n, (why, _) in self._notes.faulty.items()},
            installed={name: manifest.version for name, manifest in self._installed.items()},
        )

    def _fresh(self) -> bool:
        """Whether the follower's list is one that was read, not one that is missing."""
        return self._follower is not None and bool(self._follower.versions)

    def _write(self) -> None:
        """The shelf, when it is another one."""
        if not self._plans.ByteSize() and not self._plans.change:
            return  # no data server has said anything yet: what was offered still is
        self._forgive()
        shelf = decide(self._plans.plans, self._known(), rooms=self._plans.rooms)
        if shelf != self._shelf or not (self._folder / FILE).exists():
            self._file.write(shelf)
            self._shelf = shelf
            log.info(
                "packages.offered",
                offers={offer.package: offer.version for offer in shelf.offers},
                stopped=shelf.stopped,
            )
        self._write_notes()

    # ---- faults ----------------------------------------------------------------------------

    def _note_faults(self) -> bool:
        """Whether a host has withdrawn a version that was not known to be bad."""
        changes = {plan.package: plan.change for plan in self._plans.plans}
        new = False
        for told in self._hosts():
            name = f"{told['package']}/{told['version']}"
            asked = int(changes.get(told["package"], 0))
            if told["bad"] and name not in self._notes.faulty and told["change"] >= asked:
                self._notes.faulty[name] = (str(told["detail"]), asked)
                self._metrics.package_withdrawn.inc()
                log.error("packages.withdrawn", version=name, error=told["detail"])
                new = True
        return new

    def _forgive(self) -> None:
        """The operator has started the package again since."""
        for plan in self._plans.plans:
            for name, (_, change) in list(self._notes.faulty.items()):
                if name.startswith(f"{plan.package}/") and plan.change > change:
                    del self._notes.faulty[name]

    # ---- report ----------------------------------------------------------------------------

    async def _report(self) -> None:
        """Tell the data server, when it changed and now and then."""
        epoch = self._lease_epoch()
        if not epoch:
            return
        games, rule_sets = states(self._shelf, self._known(), self._hosts(), self._manifest)
        request = pb.ReportGamesRequest(
            server=self._server, lease_epoch=epoch, games=games, rule_sets=rule_sets
        )
        rooms = await asyncio.to_thread(self._file.rooms_told)
        if (epoch, rooms) != self._rooms_reported:
            request.has_rooms = True
            request.rooms.extend(map(room_state, rooms))
        body, now = request.SerializeToString(deterministic=True), time.monotonic()
        if now < self._report_at and (body == self._reported or self._refused):
            return
        try:
            await self._data.call("ReportGames", request)
            self._refused = False
            self._rooms_reported = (epoch, rooms)
        except Refused:
            self._refused = True  # no lease yet, no data server, or an older one
        self._reported = body
        self._report_at = now + (AGAIN_S[1] if self._refused else REPORT_S)

    def _manifest(self, package: str, version: str) -> Manifest | None:
        manifest = self._installed.get(package)
        if manifest is not None and manifest.version == version:
            return manifest
        try:
            return self._file.contents(self._shelf.versions, f"{package}/{version}").manifest
        except (BadShelf, KeyError):
            return None

    # ---- files -----------------------------------------------------------------------------

    def _read_shelf(self) -> Shelf:
        try:
            return self._file.read()
        except BadShelf as error:
            log.error("packages.bad_shelf", error=str(error))
            return Shelf()

    def _read_notes(self) -> _Notes:
        """Not marked: who can write here can write the shelf's key, too. What is lost is asked
        again."""
        try:
            return msgspec.json.decode((self._folder / NOTES).read_bytes(), type=_Notes)
        except (OSError, msgspec.MsgspecError):
            return _Notes()

    def _write_notes(self) -> None:
        body = msgspec.json.encode(self._notes)
        path = self._folder / NOTES
        if not path.exists() or path.read_bytes() != body:
            draft = path.with_suffix(".part")
            draft.write_bytes(body)
            draft.replace(path)


def installed_digest(package: str) -> str:
    """SHA-256 of the archive that the installed package would be; "" when it cannot be one."""
    import importlib.util

    spec = importlib.util.find_spec("games")
    for folder in (spec.submodule_search_locations or ()) if spec is not None else ():
        try:
            return archive.unpack(archive.build(Path(folder) / package)).digest
        except archive.BadPackage:
            continue
    return ""


def told_by(infos: Mapping[str, Mapping[str, Any]]) -> list[Told]:
    """What hosts say of their versions, from their `info`."""
    return [told for info in infos.values() for told in info.get("versions", ())]
