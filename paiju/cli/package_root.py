"""`paiju package rotate-root`: other keys for what all game servers trust, or another year."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from tuf.api.metadata import Metadata, Root

from paiju.cli import output
from paiju.cli.admin_options import HOME, Address, DataDir, KeyFile
from paiju.cli.package_call import Hall, Keys, key_of
from paiju.packages import rotation
from paiju.packages.beginning import ROOT_KEYS
from paiju.packages.keys import KeyFolder, NewKey
from paiju.packages.repository import utc_now
from paiju.packages.signing import read_unsigned, sign
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb

ONLINE = ("snapshot", "timestamp")


def rotate_root(
    root_key: Annotated[
        list[Path] | None,
        typer.Option(help="A key of the root as it is; repeat it. Default: those in the folder."),
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep", help="The same root keys for another year.")
    ] = False,
    targets: Annotated[
        bool, typer.Option("--targets", help="Another key of the operator, too.")
    ] = False,
    online: Annotated[
        bool,
        typer.Option("--online", help="Other online keys, too; the old ones count beside them."),
    ] = False,
    only_new: Annotated[
        bool,
        typer.Option("--only-new", help="The old online keys count no more: all servers changed."),
    ] = False,
    reason: Annotated[
        str, typer.Option("--reason", help="Why; it is written into the audit.")
    ] = "the root was rotated",
    keys: Keys = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """The next root: game servers find it from the one that they were installed with.

    Runs where two of the three root keys and targets.pem are.

    Example: paiju package rotate-root --reason "one of three keys was lost"
    """
    hall = Hall(address, key_file, data_dir)
    folder = hall.keys(keys)
    current = hall.call("GetRoot", pb.GetRootRequest(), pb.GetRootReply).root
    if _finish(folder, current):
        typer.echo("an earlier rotation, whose answer was lost, counts: its keys are in place now")
        return
    signers = [key_of(path) for path in root_key or folder.roots]
    made: list[NewKey] = []
    try:
        roots = [] if keep else _three(folder, made)
        operator = _made(folder.targets, made) if targets else key_of(folder.targets)
        others: dict[str, Any] = {"targets": [operator.public_key]}
        if online or only_new:
            others |= _online(folder, current, made, only_new=only_new)
        root = rotation.next_root(current, signers=signers, root=roots, now=utc_now(), **others)
    except rotation.BadRoot as error:
        _drop(made)
        output.fail(str(error))
    except BaseException:
        _drop(made)
        raise
    # From here on the new keys may count, whatever we hear: they stay until that is known.
    _send(hall, root, operator, reason)
    for one in made:
        one.take()
    folder.root.write_bytes(root)
    number = _root(root).version
    typer.echo(
        f"root {number} counts; {folder.root} is for new installations, those that stand need "
        "nothing"
    )
    if online:
        typer.echo(
            f"{folder.online} has other keys: give them to all data servers and start them anew, "
            "then: paiju package rotate-root --keep --only-new"
        )


def _finish(folder: KeyFolder, current: bytes) -> bool:
    """Keys of a rotation of which nobody knows how it ended: the root says whether they count."""
    left, known = NewKey.left(folder), _root(current).keys
    counts = bool(left) and all(one.key.public_key.keyid in known for one in left)
    for one in left:
        one.take() if counts else one.drop()
    if counts:
        folder.root.write_bytes(current)
    return counts


def _three(folder: KeyFolder, made: list[NewKey]) -> list[Any]:
    names = [folder.path / "offline" / f"root-{n}.pem" for n in range(1, ROOT_KEYS + 1)]
    return [_made(name, made) for name in names]


def _made(file: Path, made: list[NewKey]) -> Any:
    made.append(NewKey.make(file))
    return made[-1].key


def _online(
    folder: KeyFolder, current: bytes, made: list[NewKey], *, only_new: bool
) -> dict[str, list[Any]]:
    """Keys of snapshot and timestamp from now on."""
    root, found = _root(current), {}
    for role in ONLINE:
        file = folder.online / f"{role}.pem"
        if only_new:
            found[role] = [key_of(file).public_key]
        else:
            before = [root.keys[keyid] for keyid in root.roles[role].keyids]
            found[role] = [*before, _made(file, made).public_key]
    return found


def _send(hall: Hall, root: bytes, operator: Any, reason: str) -> None:
    """With the list of authors once more: it is good for another year, too."""
    reply = hall.call("GetDraft", pb.GetDraftRequest(), pb.GetDraftReply)
    listed = sign(read_unsigned(reply.draft), [operator])
    request = pb.SetRootRequest(op=new_op(), root=root, targets=listed, reason=reason)
    hall.call("SetRoot", request, pb.PackageChangeReply)


def _root(data: bytes) -> Root:
    return Metadata[Root].from_bytes(data).signed


def _drop(made: list[NewKey]) -> None:
    for one in made:
        one.drop()
