"""What `paiju package` commands that talk to a data server share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer
from google.protobuf.message import Message

from paiju.cli import output
from paiju.cli.admin_call import call_service
from paiju.cli.admin_options import CALL_S
from paiju.packages.keys import KeyFolder
from paiju.packages.signing import BadKey, read_key
from paiju.wire.v1 import packages_pb2_grpc

R = TypeVar("R", bound=Message)
FOLDER = "package-keys"

Keys = Annotated[
    Path | None,
    typer.Option(help=f"Folder of `init-keys`; default: {FOLDER} in the data folder."),
]


@dataclass(frozen=True)
class Hall:
    """Where the data server is, and with which operator key."""

    address: str | None
    key_file: Path | None
    data_dir: Path

    def call(self, rpc: str, request: Message, answer: type[R]) -> R:
        """The answer; a sentence and exit 1 when there is none or it is a refusal."""

        def ask(stub: Any, shown: tuple[tuple[str, str], ...]) -> R:
            reply: R = getattr(stub, rpc)(request, metadata=shown, timeout=CALL_S)
            return reply

        make: Callable[[Any], Any] = packages_pb2_grpc.PackageAdminStub
        return call_service(make, ask, self.address, self.key_file, self.data_dir)

    def keys(self, folder: Path | None) -> KeyFolder:
        return KeyFolder(folder or self.data_dir / FOLDER)


def key_of(path: Path) -> Any:
    """The private key in a file; a sentence and exit 2 when there is none."""
    try:
        return read_key(path)
    except BadKey as error:
        output.fail(str(error), code=2)
