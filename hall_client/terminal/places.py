"""Files of a player on this machine: where the hall runs, and the guest's device secret."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import dataclass, field
from pathlib import Path

from hall_client.tls import Tls
from paiju.wire import server_keys

SECRET_BYTES = 32
_SECRET_FILE = "guest-secret"
STATE_FILE = "hall.json"


@dataclass(frozen=True, kw_only=True)
class Hall:
    """Where a hall is, and the keys that prove that it is the one. tls: how certificates of its
    gateways are checked, where it has some."""

    gateways: tuple[str, ...]
    server_keys: tuple[bytes, ...]
    tls: Tls = field(default_factory=Tls)
    """How the certificates of gateways are checked."""


def data_dir(given: Path | None) -> Path:
    """The folder: as given, else $PAIJU_DATA_DIR, else .paiju here, as `paiju up` has it."""
    return given or Path(os.environ.get("PAIJU_DATA_DIR") or ".paiju")


def running_hall(folder: Path) -> Hall | None:
    """From the state file of a running hall; None when there is none.

    A hall that was killed leaves its file behind: its process must be there, too.
    """
    try:
        state = json.loads((folder / STATE_FILE).read_text("utf-8"))
        pid = int(state["pid"])
        hall = Hall(
            gateways=tuple(str(address) for address in state["gateways"]),
            server_keys=tuple(server_keys.decode(key) for key in state["server_keys"]),
            tls=Tls.load(Path(ca)) if (ca := state.get("ca")) else Tls(),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None
    return hall if hall.gateways and _runs(pid) else None


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # somebody else's
    return True


def device_secret(folder: Path) -> bytes:
    """The secret that opens this machine's guest account; made at the first call, mode 0600."""
    path = folder / _SECRET_FILE
    folder.mkdir(parents=True, exist_ok=True)
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    except FileExistsError:
        found = bytes.fromhex(path.read_text("ascii").strip())
        if len(found) != SECRET_BYTES:
            raise ValueError(f"{path} holds no device secret; move it away") from None
        path.chmod(0o600)
        return found
    made = secrets.token_bytes(SECRET_BYTES)
    with os.fdopen(descriptor, "w") as file:
        file.write(made.hex() + "\n")
    return made
