"""What tests of the repository's ways share: keys, and a version on its way to a data server."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from securesystemslib.signer import CryptoSigner

from paiju.packages import archive, authors, repository
from paiju.packages.keys import KeyFolder
from paiju.packages.signing import new_key, read_key, read_unsigned, sign
from paiju.service.ids import new_op
from paiju.wire.v1 import packages_pb2 as pb
from tests.packages import toy


def make_keys(folder: Path) -> KeyFolder:
    keys = KeyFolder(folder)
    keys.make()
    return keys


def blob(version: str = "1.0.0", worth: int = 5, **more: str) -> bytes:
    return archive.pack(toy.files(version=version, worth=worth, **more))


async def give(
    admin: Any, keys: KeyFolder, author: str, package: str, key: CryptoSigner | None = None
) -> CryptoSigner:
    """The author owns the package from now on; his key."""
    key = key or new_key()
    drafted = await admin.GetDraft(pb.GetDraftRequest())
    assert not drafted.HasField("refusal"), drafted
    draft = read_unsigned(drafted.draft)
    authors.enter(draft, author, packages=[package], keys=[key.public_key])
    signed = sign(draft, [read_key(keys.targets)])
    reply = await admin.SetAuthors(pb.SetAuthorsRequest(op=new_op(), signed=signed, reason="new"))
    assert not reply.HasField("refusal"), reply
    return key


async def publish(
    admin: Any, author: str, key: CryptoSigner, *blobs: bytes, op: bytes = b""
) -> pb.PackageChangeReply:
    drafted = await admin.GetDraft(pb.GetDraftRequest(author=author))
    assert not drafted.HasField("refusal"), drafted
    signed = repository.sign_versions(read_unsigned(drafted.draft), blobs, key)
    request = pb.PublishPackagesRequest(
        op=op or new_op(), author=author, signed=signed, archives=blobs, reason="new"
    )
    reply: pb.PackageChangeReply = await admin.PublishPackages(request)
    return reply
