"""`paiju package init-keys | author | rotate-key | draft | sign | publish`: keys and signatures."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from tuf.api.metadata import Targets

from paiju.cli import output
from paiju.cli.admin_options import HOME, Address, DataDir, KeyFile
from paiju.cli.package_call import Hall, Keys, key_of
from paiju.cli.package_files import Json, Package, read, tested
from paiju.packages import archive, authors, proof, repository
from paiju.packages.keys import KeyFolder
from paiju.packages.signing import read_unsigned, sign
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb

Author = Annotated[str, typer.Option(help="Who signs; see `paiju package author`.")]
Why = Annotated[str, typer.Option("--reason", help="Why; it is written into the audit.")]


def init_keys(
    folder: Annotated[Path, typer.Argument(help="A folder that is not there yet.")],
) -> None:
    """Make the keys of a hall's repository: root (2 of 3), targets, online keys.

    Example: paiju package init-keys package-keys
    """
    keys = KeyFolder(folder)
    try:
        keys.make()
    except FileExistsError:
        output.fail(f"{folder} is there already; keys are never written over", code=2)
    typer.echo(
        f"{folder}/offline belongs on no server: two of its root keys and targets.pem can do "
        f"anything.\n{folder}/online is for the data servers (PAIJU_PACKAGE_KEYS_DIR).\n"
        f"{folder}/root.json is for every game server (PAIJU_PACKAGE_ROOT_FILE)."
    )


def author(
    name: Annotated[str, typer.Argument(help="Of the author: small letters, digits and _.")],
    package: Annotated[list[str], typer.Option(help="What is the author's; repeat it.")],
    reason: Why = "packages of an author",
    keys: Keys = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Say which packages are an author's; makes a key for a new author.

    Example: paiju package author ann --package mygame
    """
    hall = Hall(address, key_file, data_dir)
    folder = hall.keys(keys)
    file = folder.author(name)
    if not file.exists():
        folder.make_author(name)
        typer.echo(f"{file} is the key of {name}")
    _set_author(hall, folder, name, package, {}, reason)
    typer.echo(f"{name} may publish {', '.join(package)}")


def rotate_key(
    name: Annotated[str, typer.Argument(help="The author whose key is not trusted any more.")],
    without: Annotated[
        list[str] | None, typer.Option(help="NAME/VERSION not to sign again; repeat it.")
    ] = None,
    reason: Why = "the key was rotated",
    keys: Keys = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """A new key for an author: what he has published is signed again, the old key is worthless.

    Example: paiju package rotate-key ann --without mygame/6.6.6 --reason "stolen laptop"
    """
    hall = Hall(address, key_file, data_dir)
    folder = hall.keys(keys)
    listed = hall.call("ListPackages", pb.ListPackagesRequest(), pb.ListPackagesReply)
    packages = [p for a in listed.authors if a.author == name for p in a.packages]
    if not packages:
        output.fail(f"{name} may publish nothing here")
    draft = _draft(hall, name)
    for version in without or []:
        if draft.targets.pop(f"{version}.zip", None) is None:
            output.fail(f"{name} has not published {version}")
    file = folder.author(name)
    old = file.with_name(f"{file.name}.old")
    if file.exists():
        file.replace(old)
    key = folder.make_author(name)
    resigned = {name: repository.sign_versions(draft, [], key)} if draft.version > 1 else {}
    try:
        _set_author(hall, folder, name, packages, resigned, reason)
    except typer.Exit:
        file.unlink()  # nothing has changed: the old one still counts
        if old.exists():
            old.replace(file)
        raise
    typer.echo(f"{file} is the key of {name} now; {len(draft.targets)} versions are signed again")


def draft(
    author: Author,
    out: Annotated[Path, typer.Option(help="Where to.")] = Path("draft.json"),
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """What an author signs next, for `sign` on a machine without network.

    Example: paiju package draft --author ann --out draft.json
    """
    request = pb.GetDraftRequest(author=author)
    hall = Hall(address, key_file, data_dir)
    out.write_bytes(hall.call("GetDraft", request, pb.GetDraftReply).draft)


def sign_packages(
    packages: Annotated[list[Path], typer.Argument(help="Folders or archives.")],
    key: Annotated[Path, typer.Option(help="The author's private key.")],
    draft: Annotated[Path, typer.Option(help="What `draft` wrote.")] = Path("draft.json"),
    out: Annotated[Path, typer.Option(help="For `publish --signed`.")] = Path("signed.json"),
    hands: Annotated[int, typer.Option(min=1)] = proof.HANDS,
) -> None:
    """Sign versions with an author's key; they must pass their own cases and the kit.

    Example: paiju package sign mygame --key ann.pem --draft draft.json
    """
    blobs = [tested(package, hands) for package in packages]
    try:
        versions = read_unsigned(draft.read_bytes())
    except (OSError, ValueError) as error:
        output.fail(f"{draft}: {error}", code=2)
    out.write_bytes(repository.sign_versions(versions, blobs, key_of(key)))
    typer.echo(f"{out} is signed; next: paiju package publish ... --signed {out}")


def publish(
    package: Package,
    author: Author,
    signed: Annotated[
        Path | None, typer.Option(help="What `sign` wrote; default: signed here and now.")
    ] = None,
    hands: Annotated[int, typer.Option(min=1, help="Random hands per rule set.")] = proof.HANDS,
    reason: Why = "a new version",
    keys: Keys = None,
    json: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Publish a version. Refused unless its golden cases and the conformance kit hold.

    Game servers have it by themselves; `start` lets people play it.

    Example: paiju package publish mygame --author ann
    """
    hall = Hall(address, key_file, data_dir)
    blob = tested(package, hands)
    contents = archive.unpack(blob)
    if signed is None:
        key = key_of(hall.keys(keys).author(author))
        data = repository.sign_versions(_draft(hall, author), [blob], key)
    else:
        data = read(signed)
    request = pb.PublishPackagesRequest(
        op=new_op(), author=author, signed=data, archives=[blob], reason=reason
    )
    reply = hall.call("PublishPackages", request, pb.PackageChangeReply)
    name = f"{contents.name} {contents.version}"
    output.console(json).print(f"{name} is published; paiju package start {contents.name}")
    output.write_json(
        json,
        {"package": contents.name, "version": contents.version, "sha256": contents.digest}
        | {"change": reply.change},
    )


def _draft(hall: Hall, name: str) -> Targets:
    reply = hall.call("GetDraft", pb.GetDraftRequest(author=name), pb.GetDraftReply)
    return read_unsigned(reply.draft)


def _set_author(
    hall: Hall,
    folder: KeyFolder,
    name: str,
    packages: Sequence[str],
    resigned: dict[str, bytes],
    reason: str,
) -> None:
    listed = _draft(hall, "")
    try:
        authors.enter(
            listed, name, packages=packages, keys=[key_of(folder.author(name)).public_key]
        )
    except authors.BadAuthor as error:
        output.fail(str(error), code=2)
    request = pb.SetAuthorsRequest(
        op=new_op(),
        signed=sign(listed, [key_of(folder.targets)]),
        resigned=resigned,
        reason=reason,
    )
    hall.call("SetAuthors", request, pb.PackageChangeReply)
