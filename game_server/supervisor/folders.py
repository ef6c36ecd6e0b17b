"""Where a game server keeps things, its secrets, and the lock that makes it the only one.

`data_dir` outlives the process and the machine's restarts; `run_dir` holds what is worthless
without the process: sockets, Ray's session, the list of children. Paths of Unix sockets are
limited to 107 bytes and Ray's session takes about 70 of them, so run_dir must be short.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import secrets
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from game_server.supervisor import networks
from game_server.supervisor.settings import GameServerSettings
from paiju.service import logs, trace
from paiju.service.settings import BadSettings
from paiju.wire.server_keys import BadKeys, ServerKeys

STATE = "game-server.json"
LONGEST_RUN_DIR = 34


@dataclass(frozen=True, kw_only=True)
class Folders:
    """All exist and belong to us."""

    data: Path
    run: Path
    cluster_token: Path
    cell_secret: Path
    ray_token: Path
    journal_key: Path
    seal_keys: Path
    package_root: Path
    """What the repository of packages is trusted by; may be missing."""

    @property
    def ray_temp(self) -> Path:
        return self.run / "ray"

    @property
    def ray_memory(self) -> Path:
        """What the head knows of actors and names."""
        return self.data / "ray-memory"

    @property
    def journal(self) -> Path:
        return self.data / "journal"

    @property
    def packages(self) -> Path:
        """Verified packages and the shelf."""
        return self.data / "packages"

    @property
    def packages_key(self) -> Path:
        """Marks what this machine has verified."""
        return self.data / "packages-key"

    @property
    def metrics_socket(self) -> Path:
        return self.run / "metrics.sock"

    @property
    def log_level(self) -> Path:
        """Levels while the programs run."""
        return self.data / logs.LEVEL_FILE

    @property
    def traces(self) -> Path:
        return self.data / trace.FOLDER

    @property
    def state(self) -> Path:
        return self.data / STATE


def prepare(settings: GameServerSettings) -> Folders:
    """Make what is missing. Raises BadSettings when something is not ours or not there."""
    data = settings.data_dir.absolute()
    run = (settings.run_dir or default_run_dir(data)).absolute()
    if len(os.fsencode(run)) > LONGEST_RUN_DIR:
        raise BadSettings(
            f"run_dir {run} is too long: Ray's sockets need a path of at most "
            f"{LONGEST_RUN_DIR} bytes"
        )
    folders = Folders(
        data=data,
        run=run,
        cluster_token=settings.cluster_token_file or data / "cluster-token",
        cell_secret=settings.cell_secret_file or data / "cell-secret",
        ray_token=settings.ray_token_file or data / "ray-token",
        journal_key=settings.journal_key_file or data / "journal-key",
        seal_keys=settings.seal_keys_file or data / "seal-keys.json",
        package_root=settings.package_root_file or data / "package-keys" / "root.json",
    )
    for folder in (data, folders.journal, run, folders.ray_temp, folders.ray_memory):
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise BadSettings(f"cannot make the folder {folder}: {error.strerror}") from None
    # Below /tmp others could have made the folder before us.
    if run.is_symlink() or run.stat().st_uid != os.geteuid() or run.stat().st_mode & 0o022:
        raise BadSettings(f"run_dir {run} belongs to, or can be changed by, somebody else")
    head = not settings.ray_address
    for path, given in (
        (folders.cell_secret, settings.cell_secret_file),
        (folders.ray_token, settings.ray_token_file),
    ):
        _secret(path, make=head and given is None)
    networks.check(settings, folders.ray_token)
    _secret(folders.journal_key, make=settings.journal_key_file is None)
    _secret(folders.cluster_token, make=False)
    _secret(folders.packages_key, make=True)
    server_keys(folders, make=head and settings.seal_keys_file is None)
    return folders


def server_keys(folders: Folders, *, make: bool = False) -> ServerKeys:
    """What clients pin. Raises BadSettings."""
    try:
        return (ServerKeys.load_or_create if make else ServerKeys.load)(folders.seal_keys)
    except OSError as error:
        raise BadSettings(f"cannot read {folders.seal_keys}: {error.strerror}") from None
    except BadKeys as error:
        raise BadSettings(str(error)) from None


def default_run_dir(data: Path) -> Path:
    """One per user and data folder."""
    digest = hashlib.sha256(os.fsencode(data)).hexdigest()[:10]
    return Path(f"/tmp/paiju-{os.geteuid()}-{digest}")


def _secret(path: Path, *, make: bool) -> None:
    if make:
        try:
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as new:
                new.write(secrets.token_hex(32))
        except FileExistsError:
            pass
    try:
        size = path.stat().st_size
    except OSError as error:
        raise BadSettings(f"cannot read {path}: {error.strerror}") from None
    if size < 16:
        raise BadSettings(f"{path}: a secret has at least 16 characters")


def machine() -> str:
    """Equal for two programs that can share a Unix socket: same kernel, same host name."""
    boot = Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()
    return f"{socket.gethostname()}/{boot}"


class Lock:
    """Held from `take` to `release` or the end of the process, whatever end that is."""

    def __init__(self, path: Path, *, what: str) -> None:
        self._path = path
        self._what = what
        self._file = -1

    def take(self) -> None:
        """Raises BadSettings when another process holds it."""
        file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            holder = os.read(file, 20).decode(errors="replace").strip() or "unknown"
            os.close(file)
            raise BadSettings(
                f"another {self._what} (process {holder}) runs on {self._path.parent}"
            ) from None
        os.truncate(file, 0)
        os.pwrite(file, str(os.getpid()).encode(), 0)
        self._file = file

    def release(self) -> None:
        if self._file >= 0:
            os.close(self._file)
            self._file = -1


def write_json(path: Path, content: Mapping[str, Any]) -> None:
    """Whole or not at all."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", "utf-8")
    draft.replace(path)
