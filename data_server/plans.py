"""Plans: which version of which package game servers shall offer, and what they say they do.

A plan is of all servers (server "") or of one, which then counts in its place. A package
without a plan is offered as it is installed beside the game server's program. Every change is
numbered and audited; running tables finish on the version they began with, whatever changes.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from sqlalchemy.engine import Connection

from data_server.backoffice import check_reason
from data_server.changes import Changes
from data_server.depot import Depot
from data_server.store import audits, packages, room_settings
from data_server.store.database import Database
from data_server.store.operations import Operations
from paiju.packages.archive import NAME, newest
from paiju.service.refusals import Refused
from paiju.wire.v1 import packages_pb2 as pb

INSTALLED = "installed"
"""The version that came with the game server's program."""
MAX_DETAIL = 1000
ALL = 100


@dataclass(frozen=True, kw_only=True)
class Plans:
    database: Database
    operations: Operations
    changes: Changes
    depot: Depot
    clock: Callable[[], int]

    # ---- for game servers ------------------------------------------------------------------

    async def get(self, request: pb.GetPlansRequest) -> pb.GetPlansReply:
        def work(tx: Connection) -> pb.GetPlansReply:
            change = packages.newest_change(tx)  # first: what is newer comes with the next one
            counting: dict[str, pb.PackagePlan] = {}
            for plan in packages.plans(tx):  # those of all servers come first
                if plan.server in ("", request.server):
                    counting[plan.package] = plan
            yanked = [f"{v.package}/{v.version}" for v in packages.versions(tx) if v.yanked]
            return pb.GetPlansReply(
                change=change,
                plans=counting.values(),
                yanked=yanked,
                rooms=room_settings.newest(tx),
            )

        return await self.database.read(work)

    async def report(self, request: pb.ReportGamesRequest) -> pb.ReportGamesReply:
        for game in request.games:
            game.detail = game.detail[:MAX_DETAIL]
        for room in request.rooms:
            room.refused = room.refused[:MAX_DETAIL]

        def work(tx: Connection) -> pb.ReportGamesReply:
            if packages.lease_epoch(tx, request.server) != request.lease_epoch:
                raise Refused("LEASE_LOST")
            packages.put_states(tx, request.server, request.games, self.clock())
            if request.has_rooms:
                room_settings.put_states(tx, request.server, request.rooms, self.clock())
            packages.put_rule_sets(tx, request.server, json.dumps(sorted(request.rule_sets)))
            return pb.ReportGamesReply()

        return await self.database.write(work)

    # ---- for operators ---------------------------------------------------------------------

    async def list(self) -> pb.ListPackagesReply:
        def work(tx: Connection) -> pb.ListPackagesReply:
            return pb.ListPackagesReply(
                versions=packages.versions(tx),
                plans=packages.plans(tx),
                servers=packages.states(tx),
                change=packages.newest_change(tx),
            )

        reply = await self.database.read(work)
        reply.authors.extend(await self.depot.authors())
        return reply

    async def set(self, request: pb.SetPlanRequest, *, who: str) -> pb.PackageChangeReply:
        check_reason(request.reason)
        if NAME.fullmatch(request.package) is None or request.percent > ALL:
            raise Refused("MALFORMED", detail="package or percent")

        def work(tx: Connection) -> pb.PackageChangeReply:
            change = packages.begin_change(tx)
            own = packages.plan(tx, request.package, request.server)
            before = (
                own
                or packages.plan(tx, request.package, "")
                or pb.PackagePlan(package=request.package, on=True, version=INSTALLED)
            )
            after = _next(tx, before, request)
            after.server, after.change = request.server, change
            if request.step == pb.PLAN_INHERIT:
                packages.drop_plan(tx, request.package, request.server)
            else:
                packages.put_plan(tx, after)
            self._audit(
                tx, who, f"package.{_word(request)}", request.package, request.reason,
                before=_told(before), after=_told(after),
            )  # fmt: skip
            return pb.PackageChangeReply(change=change, plan=after)

        body = pb.SetPlanRequest()
        body.CopyFrom(request)
        body.ClearField("op")
        reply = await self.operations.once(
            request.op, kind="SetPlan", body=body, answer=pb.PackageChangeReply, work=work
        )
        self.changes.tell(reply.change)
        return reply

    async def yank(self, request: pb.YankVersionRequest, *, who: str) -> pb.PackageChangeReply:
        check_reason(request.reason)

        def work(tx: Connection) -> pb.PackageChangeReply:
            change = packages.begin_change(tx)
            found = _published(tx, request.package, request.version)
            packages.set_yanked(tx, request.package, request.version, not request.undo)
            self._audit(
                tx, who, "package.yank", f"{request.package}/{request.version}", request.reason,
                before=found.yanked, after=not request.undo,
            )  # fmt: skip
            return pb.PackageChangeReply(change=change)

        body = pb.YankVersionRequest()
        body.CopyFrom(request)
        body.ClearField("op")
        reply = await self.operations.once(
            request.op, kind="YankVersion", body=body, answer=pb.PackageChangeReply, work=work
        )
        self.changes.tell(reply.change)
        return reply

    def _audit(
        self, tx: Connection, who: str, what: str, target: str, why: str,
        *, before: object, after: object,
    ) -> None:  # fmt: skip
        audits.append(
            tx,
            who=who,
            what=what,
            target=target,
            why=why,
            before=before,
            after=after,
            now_us=self.clock(),
        )


def _next(tx: Connection, before: pb.PackagePlan, request: pb.SetPlanRequest) -> pb.PackagePlan:
    """The plan after this step. Refused."""
    plan = pb.PackagePlan()
    plan.CopyFrom(before)
    step = request.step
    if step in (pb.PLAN_START, pb.PLAN_PIN):
        _start(tx, plan, request)
    elif step == pb.PLAN_STOP:
        plan.on = False
    elif step == pb.PLAN_UNPIN:
        plan.pinned = False
    elif step == pb.PLAN_ROLLBACK:
        _roll_back(plan)
    elif step == pb.PLAN_CLIENT:
        plan.minimum_client = request.minimum_client
    elif step != pb.PLAN_INHERIT or not request.server:
        raise Refused("MALFORMED", detail="step")
    return plan


def _start(tx: Connection, plan: pb.PackagePlan, request: pb.SetPlanRequest) -> None:
    pins = request.step == pb.PLAN_PIN
    version = request.version or (plan.version if plan.pinned else _newest(tx, plan.package))
    if plan.pinned and version != plan.version and not pins:
        raise Refused("PINNED", version=plan.version)
    if version != INSTALLED and _published(tx, plan.package, version).yanked:
        raise Refused("NO_SUCH_VERSION", version=f"{plan.package}/{version}")
    plan.pinned = plan.pinned or pins
    if request.percent and request.percent < ALL and plan.on and version != plan.version:
        plan.staged, plan.percent = version, request.percent
        return
    if version != plan.version:
        plan.previous = plan.version
    plan.version, plan.staged, plan.percent, plan.on = version, "", 0, True


def _roll_back(plan: pb.PackagePlan) -> None:
    """What is staged is taken back first; else the version before counts again."""
    if plan.staged:
        plan.staged, plan.percent = "", 0
    elif plan.previous:
        plan.version, plan.previous = plan.previous, plan.version
    else:
        raise Refused("NO_SUCH_VERSION", version=f"{plan.package}, an earlier one")


def _newest(tx: Connection, package: str) -> str:
    """The newest published version that nobody has taken back."""
    return newest(v.version for v in packages.versions(tx, package) if not v.yanked) or INSTALLED


def _published(tx: Connection, package: str, version: str) -> pb.PublishedVersion:
    found = packages.version(tx, package, version)
    if found is None:
        raise Refused("NO_SUCH_VERSION", version=f"{package}/{version}")
    return found


def _word(request: pb.SetPlanRequest) -> str:
    return pb.PlanStep.Name(request.step).removeprefix("PLAN_").lower()


def _told(plan: pb.PackagePlan) -> dict[str, object]:
    return {name: getattr(plan, name) for name in packages.PLAN_FIELDS}
