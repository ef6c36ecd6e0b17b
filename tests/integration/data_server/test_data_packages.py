"""The repository in the database: published, renewed, pushed, by two data servers at once."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pytest
from data_hall import Client, _Shown, eventually

from paiju.packages import archive, authors, repository
from paiju.packages.follower import Follower
from paiju.packages.signing import new_key, read_key, read_unsigned, sign
from paiju.service.ids import new_op, now_us
from paiju.wire.v1 import data_pb2, packages_pb2_grpc
from paiju.wire.v1 import packages_pb2 as pb
from tests.packages import toy
from tests.packages.publishing import blob, give, make_keys, publish
from tests.unit.packages.shelves import thief

DAY_US = 86_400 * 10**6


def admin_of(client: Client) -> Any:
    stub = packages_pb2_grpc.PackageAdminStub(client.admin_channel)
    return _Shown(stub, client.server.secrets.admin_key)


def packages_of(client: Client) -> Any:
    stub = packages_pb2_grpc.PackagesStub(client.channel)
    return _Shown(stub, client.server.secrets.cluster_token)


def blocking_fetch(client: Client) -> Any:
    """As a follower's thread asks."""
    token = client.server.secrets.cluster_token

    def fetch(path: str) -> Iterator[bytes]:
        with grpc.insecure_channel(client.addresses.address) as channel:
            try:
                for chunk in packages_pb2_grpc.PackagesStub(channel).FetchFile(
                    pb.FetchFileRequest(path=path), metadata=(("authorization", f"Bearer {token}"),)
                ):
                    yield chunk.data
            except grpc.RpcError as error:
                if error.code() is grpc.StatusCode.NOT_FOUND:
                    raise FileNotFoundError(path) from None
                raise

    return fetch


async def test_what_is_published_reaches_a_follower(
    start: Any, database_url: str, tmp_path: Path
) -> None:
    keys = make_keys(tmp_path / "keys")
    hall = await start(database_url=database_url, package_keys_dir=keys.online)
    admin = admin_of(hall)
    ann = await give(admin, keys, "ann", "toss")
    reply = await publish(admin, "ann", ann, blob())
    assert not reply.HasField("refusal"), reply
    fetch = blocking_fetch(hall)
    follower = Follower(tmp_path / "cache", root=keys.root.read_bytes(), key=b"k" * 32, fetch=fetch)
    assert await asyncio.to_thread(follower.refresh) == ["toss/1.0.0"]
    listed = await admin.ListPackages(pb.ListPackagesRequest())
    assert [(v.package, v.version, v.author) for v in listed.versions] == [("toss", "1.0.0", "ann")]
    assert [(a.author, list(a.packages)) for a in listed.authors] == [("ann", ["toss"])]
    audit = await hall.admin.ListAudit(data_pb2.ListAuditRequest())
    assert [row.what for row in audit.rows] == ["package.publish", "package.authors"]


async def test_a_repeat_is_answered_as_the_first_time(
    start: Any, database_url: str, tmp_path: Path
) -> None:
    keys = make_keys(tmp_path / "keys")
    hall = await start(database_url=database_url, package_keys_dir=keys.online)
    admin = admin_of(hall)
    ann = await give(admin, keys, "ann", "toss")
    start_it = pb.SetPlanRequest(op=new_op(), step=pb.PLAN_START, package="toss", reason="go")
    await publish(admin, "ann", ann, blob())
    first = await admin.SetPlan(start_it)
    assert first.plan.version == "1.0.0" and first.plan.on
    assert await admin.SetPlan(start_it) == first
    other = await publish(admin, "ann", ann, blob(worth=7))
    assert other.refusal.code == "PACKAGE_REFUSED"
    assert "other contents" in other.refusal.params["detail"]


async def test_chunks_go_on_where_they_stopped(start: Any, tmp_path: Path) -> None:
    keys = make_keys(tmp_path / "keys")
    hall = await start(package_keys_dir=keys.online)
    admin, packages = admin_of(hall), packages_of(hall)
    ann = await give(admin, keys, "ann", "toss")
    # Long enough for several chunks: what does not shrink when it is packed.
    noise = "".join(f"# {sha256(str(i).encode()).hexdigest()}\n" for i in range(2000))
    big = blob(**{"noise.py": noise})
    assert len(big) > 40_000
    assert not (await publish(admin, "ann", ann, big)).HasField("refusal")
    digest = (await admin.ListPackages(pb.ListPackagesRequest())).versions[0].sha256
    path = f"targets/toss/{digest}.1.0.0.zip"
    half = len(big) // 2 + 7
    whole = b"".join([c.data async for c in packages.FetchFile(pb.FetchFileRequest(path=path))])
    rest = [c async for c in packages.FetchFile(pb.FetchFileRequest(path=path, offset=half))]
    assert whole == big
    assert b"".join(c.data for c in rest) == big[half:]
    assert {c.total for c in rest} == {len(big)}
    with pytest.raises(grpc.aio.AioRpcError) as gone:
        async for _ in packages.FetchFile(pb.FetchFileRequest(path="targets/none")):
            pass
    assert gone.value.code() is grpc.StatusCode.NOT_FOUND


async def test_two_data_servers_publish_at_once(
    start: Any, database_url: str, tmp_path: Path
) -> None:
    keys = make_keys(tmp_path / "keys")
    one = await start(database_url=database_url, package_keys_dir=keys.online)
    two = await start(database_url=database_url, package_keys_dir=keys.online)
    ann = await give(admin_of(one), keys, "ann", "toss")
    bob = await give(admin_of(two), keys, "bob", "flip")

    async def all_of(client: Client, author: str, key: Any, name: str) -> int:
        refused = 0
        for number in range(6):
            files = blob(f"1.0.{number}") if name == "toss" else _flip(number)
            while True:
                reply = await publish(admin_of(client), author, key, files)
                if not reply.HasField("refusal"):
                    break
                assert "is the next" in reply.refusal.params["detail"], reply
                refused += 1
        return refused

    await asyncio.gather(
        all_of(one, "ann", ann, "toss"),
        all_of(two, "bob", bob, "flip"),
        *(client.server.services.depot.renew() for client in (one, two)),
    )
    for client in (one, two):
        follower = Follower(
            tmp_path / f"cache-{client.addresses.address[-5:]}",
            root=keys.root.read_bytes(),
            key=b"k" * 32,
            fetch=blocking_fetch(client),
        )
        assert len(await asyncio.to_thread(follower.refresh)) == 12
    listed = await admin_of(two).ListPackages(pb.ListPackagesRequest())
    assert listed.change == 14  # two authors, twelve versions


def _flip(number: int) -> bytes:
    """The same game under another name."""
    files = toy.files(version=f"1.0.{number}")
    return archive.pack({p: data.replace(b"toss", b"flip") for p, data in files.items()})


async def test_a_game_belongs_to_the_package_that_had_it_first(start: Any, tmp_path: Path) -> None:
    keys = make_keys(tmp_path / "keys")
    hall = await start(package_keys_dir=keys.online)
    admin = admin_of(hall)
    ann = await give(admin, keys, "ann", "toss")
    eve = await give(admin, keys, "eve", "athief")
    assert not (await publish(admin, "ann", ann, blob())).HasField("refusal")
    reply = await publish(admin, "eve", eve, thief())
    assert "toss is a game of toss" in reply.refusal.params["detail"]


async def test_it_is_renewed_before_the_port_opens_and_while_it_runs(
    start: Any, tmp_path: Path
) -> None:
    keys, url = make_keys(tmp_path / "keys"), f"sqlite:///{tmp_path / 'h.sqlite3'}"
    first = await start(database_url=url, package_keys_dir=keys.online)
    await first.server.stop()
    late = [now_us() + 30 * DAY_US]  # everything online has run out meanwhile
    again = await start(
        database_url=url, package_keys_dir=keys.online, server={"clock": lambda: late[0]}
    )
    depot = again.server.services.depot
    assert depot.expires_us > late[0] + DAY_US
    assert late[0] < depot.signed_until_us < late[0] + 366 * DAY_US
    late[0] += 2 * DAY_US
    await depot.renew()
    assert depot.expires_us > late[0] + DAY_US


async def test_keys_of_another_hall_are_refused_at_the_start(start: Any, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'h.sqlite3'}"
    ours, others = make_keys(tmp_path / "ours"), make_keys(tmp_path / "others")
    await start(database_url=url, package_keys_dir=ours.online)
    with pytest.raises(ValueError, match="not those of this hall"):
        await start(database_url=url, package_keys_dir=others.online)


async def test_a_change_is_pushed_by_every_data_server(
    start: Any, database_url: str, tmp_path: Path
) -> None:
    keys = make_keys(tmp_path / "keys")
    one = await start(database_url=database_url, package_keys_dir=keys.online, poll_s=0.1)
    two = await start(database_url=database_url, package_keys_dir=keys.online, poll_s=0.1)
    heard: list[int] = []

    async def follow() -> None:
        stream = packages_of(two).FollowChanges(pb.FollowChangesRequest(server="gs1"))
        try:
            async for told in stream:
                heard.append(told.change)
        finally:
            stream.cancel()

    task = asyncio.create_task(follow())
    try:
        await eventually(lambda: _now(bool(heard)))
        ann = await give(admin_of(one), keys, "ann", "toss")
        reply = await publish(admin_of(one), "ann", ann, blob())
        await eventually(lambda: _now(heard[-1] == reply.change))
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    await eventually(lambda: _now(two.server.services.changes.count() == 0))


async def _now(value: bool) -> bool:
    return value


async def test_a_stolen_author_key_is_replaced(start: Any, tmp_path: Path) -> None:
    """What was published is signed again by the new key, without what the thief published."""
    keys = make_keys(tmp_path / "keys")
    hall = await start(package_keys_dir=keys.online)
    admin = admin_of(hall)
    stolen = await give(admin, keys, "ann", "toss")
    await publish(admin, "ann", stolen, blob())
    await publish(admin, "ann", stolen, blob("6.6.6"))
    new = new_key()
    draft = read_unsigned((await admin.GetDraft(pb.GetDraftRequest(author="ann"))).draft)
    del draft.targets["toss/6.6.6.zip"]
    listed = read_unsigned((await admin.GetDraft(pb.GetDraftRequest())).draft)
    authors.enter(listed, "ann", packages=["toss"], keys=[new.public_key])
    request = pb.SetAuthorsRequest(
        op=new_op(), signed=sign(listed, [read_key(keys.targets)]), reason="stolen"
    )
    assert "signed again" in (await admin.SetAuthors(request)).refusal.params["detail"]
    request.op = new_op()
    request.resigned["ann"] = repository.sign_versions(draft, [], new)
    assert not (await admin.SetAuthors(request)).HasField("refusal")
    reply = await publish(admin, "ann", stolen, blob("6.6.7"))
    assert "signature of ann does not hold" in reply.refusal.params["detail"]
    follower = Follower(
        tmp_path / "cache", root=keys.root.read_bytes(), key=b"k" * 32, fetch=blocking_fetch(hall)
    )
    assert await asyncio.to_thread(follower.refresh) == ["toss/1.0.0"]
