"""The data folder: secrets that are made when missing, and where the server can be reached."""

from __future__ import annotations

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path

from data_server.keys import Keys, read_or_make
from data_server.settings import DataSettings
from paiju.packages.beginning import Beginning
from paiju.packages.keys import KeyFolder, read_online
from paiju.packages.repository import OnlineKeys

TICKET_KEYS = "ticket-keys.json"
CLUSTER_TOKEN = "cluster-token"
ADMIN_KEY = "admin-key"
ADDRESSES = "data-server.json"
PACKAGE_KEYS = "package-keys"


@dataclass(frozen=True)
class Addresses:
    """Where a running data server listens, "host:port" each."""

    address: str
    admin: str
    metrics: str


@dataclass(frozen=True)
class Secrets:
    keys_file: Path
    keys: Keys
    cluster_token: str
    admin_key: str
    package_keys: tuple[Beginning, OnlineKeys] | None  # None: no repository of packages

    @classmethod
    def load(cls, settings: DataSettings) -> Secrets:
        """From the files that are set, else from the data folder. ValueError names the file."""
        folder = settings.folder()
        keys_file = settings.ticket_key_file or folder / TICKET_KEYS
        token_file = settings.cluster_token_file or folder / CLUSTER_TOKEN
        admin_file = settings.admin_key_file or folder / ADMIN_KEY
        try:
            keys = Keys.from_json(read_or_make(keys_file, Keys.new().to_json()))
        except ValueError as error:
            raise ValueError(f"{keys_file}: {error}") from None
        token = read_or_make(token_file, secrets.token_urlsafe(32))
        admin = read_or_make(admin_file, secrets.token_urlsafe(32))
        for path, secret in ((token_file, token), (admin_file, admin)):
            if len(secret) < 16:
                raise ValueError(f"{path}: a secret has at least 16 characters")
        return cls(keys_file, keys, token, admin, _package_keys(settings))


def _package_keys(settings: DataSettings) -> tuple[Beginning, OnlineKeys] | None:
    """From the folder that is set; else from the data folder, if they were made there."""
    folder = settings.package_keys_dir
    made = KeyFolder(settings.folder() / PACKAGE_KEYS)
    if folder is None and not made.exists():
        return None
    try:
        return read_online(folder or made.online)
    except OSError as error:
        raise ValueError(f"{error.filename}: {error.strerror}") from None


def announce(folder: Path, addresses: Addresses) -> None:
    """Write `data-server.json`: addresses and pid, whole or not at all."""
    draft = folder / f".{ADDRESSES}.{os.getpid()}"
    draft.write_text(json.dumps({**asdict(addresses), "pid": os.getpid()}) + "\n")
    draft.replace(folder / ADDRESSES)


def withdraw(folder: Path) -> None:
    """Take the file away, if it is still ours."""
    path = folder / ADDRESSES
    try:
        ours = json.loads(path.read_text()).get("pid") == os.getpid()
    except (OSError, ValueError):
        return
    if ours:
        path.unlink(missing_ok=True)
