"""`paiju package list | start | stop | pin | unpin | rollback | yank | client`: what is played."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from paiju.cli.admin_options import HOME, Address, DataDir, KeyFile, show, table_of
from paiju.cli.package_call import Hall
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb

Name = Annotated[str, typer.Argument(help="Of the package.")]
Server = Annotated[str, typer.Option(help="One game server; default: all.")]
Why = Annotated[str, typer.Option("--reason", help="Why; it is written into the audit.")]
Json = Annotated[
    Path | None, typer.Option("--json", help="Write the answer as JSON; - is standard output.")
]


def list_packages(
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """What is published, what shall be offered, and what each game server says it does.

    Example: paiju package list --json -
    """
    hall = Hall(address, key_file, data_dir)
    reply = hall.call("ListPackages", pb.ListPackagesRequest(), pb.ListPackagesReply)
    show(reply, json, _versions(reply), _plans(reply), _servers(reply))


def start(
    package: Name,
    version: Annotated[str, typer.Option(help="Default: the newest.")] = "",
    percent: Annotated[
        int, typer.Option(min=1, max=100, help="Of the new tables; less than 100: staged.")
    ] = 100,
    server: Server = "",
    inherit: Annotated[
        bool, typer.Option("--inherit", help="The server does again what all do.")
    ] = False,
    reason: Why = "started",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Offer a package: new tables take this version, running ones finish on theirs.

    Example: paiju package start doudizhu --version 1.1.0 --percent 10
    """
    request = pb.SetPlanRequest(
        step=pb.PLAN_INHERIT if inherit else pb.PLAN_START,
        package=package,
        server=server,
        version=version,
        percent=percent,
        reason=reason,
    )
    _set(Hall(address, key_file, data_dir), request, json)


def stop(
    package: Name,
    server: Server = "",
    reason: Why = "stopped",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """No new tables and seats; hands and matches that run are played to their end.

    Example: paiju package stop doudizhu --server gs-2 --reason maintenance
    """
    request = pb.SetPlanRequest(step=pb.PLAN_STOP, package=package, server=server, reason=reason)
    _set(Hall(address, key_file, data_dir), request, json)


def pin(
    package: Name,
    version: Annotated[str, typer.Argument(help="As 1.0.2, or `installed`.")],
    server: Server = "",
    reason: Why = "pinned",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Offer exactly this version; no other one is started before `unpin`.

    Example: paiju package pin doudizhu 1.0.0
    """
    request = pb.SetPlanRequest(
        step=pb.PLAN_PIN, package=package, version=version, server=server, reason=reason
    )
    _set(Hall(address, key_file, data_dir), request, json)


def unpin(
    package: Name,
    server: Server = "",
    reason: Why = "unpinned",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Other versions may be started again.

    Example: paiju package unpin doudizhu
    """
    request = pb.SetPlanRequest(step=pb.PLAN_UNPIN, package=package, server=server, reason=reason)
    _set(Hall(address, key_file, data_dir), request, json)


def rollback(
    package: Name,
    server: Server = "",
    reason: Why = "rolled back",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Take a staged version back; or offer the version before this one again.

    Example: paiju package rollback doudizhu --reason "bombs count twice"
    """
    request = pb.SetPlanRequest(
        step=pb.PLAN_ROLLBACK, package=package, server=server, reason=reason
    )
    _set(Hall(address, key_file, data_dir), request, json)


def client(
    package: Name,
    build: Annotated[int, typer.Argument(min=0, help="Clients below it may not sit down.")],
    server: Server = "",
    reason: Why = "minimum client",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """The oldest client that may play a package.

    Example: paiju package client doudizhu 12
    """
    request = pb.SetPlanRequest(
        step=pb.PLAN_CLIENT, package=package, server=server, minimum_client=build, reason=reason
    )
    _set(Hall(address, key_file, data_dir), request, json)


def yank(
    package: Name,
    version: Annotated[str, typer.Argument(help="As 1.0.2.")],
    undo: Annotated[bool, typer.Option("--undo", help="It may be offered again.")] = False,
    reason: Why = "yanked",
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """No new table takes this version anywhere; its tables end with their hand and match.

    Example: paiju package yank doudizhu 1.1.0 --reason "wrong deal"
    """
    request = pb.YankVersionRequest(
        op=new_op(), package=package, version=version, undo=undo, reason=reason
    )
    hall = Hall(address, key_file, data_dir)
    show(hall.call("YankVersion", request, pb.PackageChangeReply), json)


def _set(hall: Hall, request: pb.SetPlanRequest, json: Path | None) -> None:
    request.op = new_op()
    reply = hall.call("SetPlan", request, pb.PackageChangeReply)
    show(reply, json, _plans(pb.ListPackagesReply(plans=[reply.plan])))


def _versions(reply: pb.ListPackagesReply) -> object:
    table = table_of("package", "version", "author", "bytes", "sha256", "")
    for row in reply.versions:
        yanked = "yanked" if row.yanked else ""
        table.add_row(row.package, row.version, row.author, str(row.size), row.sha256[:16], yanked)
    return table


def _plans(reply: pb.ListPackagesReply) -> object:
    table = table_of("package", "servers", "plan", "version", "staged", "client", "")
    for plan in reply.plans:
        table.add_row(
            plan.package,
            plan.server or "all",
            "on" if plan.on else "off",
            plan.version,
            f"{plan.staged} {plan.percent} %" if plan.staged else "",
            str(plan.minimum_client or ""),
            "pinned" if plan.pinned else "",
        )
    return table


def _servers(reply: pb.ListPackagesReply) -> object:
    table = table_of("server", "package", "version", "state", "tables", "faults", "")
    for game in reply.servers:
        table.add_row(
            game.server,
            game.package,
            game.version,
            game.state,
            str(game.tables),
            str(game.faults),
            game.detail,
        )
    return table
