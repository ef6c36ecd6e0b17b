"""Settings of the data server: flags, environment (PAIJU_...), defaults."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator, model_validator

from data_server.store.locks import ACCOUNT, ADDRESS, PAIR
from data_server.throttle import Rule
from paiju.service import logs
from paiju.service.logs import LogSettings
from paiju.service.peers import PeerSettings
from paiju.service.trace import TraceSettings

# Drivers may be named; the program brings its own (store/database.py).
_DATABASES = ("sqlite://", "postgresql://", "postgresql+psycopg://")


class DataSettings(PeerSettings, TraceSettings, LogSettings):
    """Every field is read from `PAIJU_` + its name in upper case unless a flag gives it."""

    program = "data-server"

    # where things are
    data_dir: Path | None = None
    """Holds what is not given below: database, keys, tokens."""
    database_url: str = ""
    """sqlite:///FILE or postgresql://USER@HOST/DATABASE; empty: hall.sqlite3 in data_dir."""
    auto_migrate: bool | None = None
    """Bring the schema to this version at the start; None: only for SQLite."""
    ticket_key_file: Path | None = None
    """Signs the tickets of players; None: data_dir/ticket-keys.json."""
    cluster_token_file: Path | None = None
    """What game servers show; None: data_dir/cluster-token."""
    admin_key_file: Path | None = None
    """What operators show; None: data_dir/admin-key."""
    package_keys_dir: Path | None = None
    """`online` of `paiju package init-keys`; None: package-keys/online in data_dir."""

    # where it listens; port 0 picks a free one
    data_listen: str = "127.0.0.1:7410"
    """For game servers, host:port; port 0 picks a free one."""
    data_admin_listen: str = "127.0.0.1:7411"
    """For operators, host:port."""
    data_metrics_listen: str = "127.0.0.1:7412"
    """For Prometheus, host:port."""
    drain_grace_s: float = Field(10.0, ge=0)
    """At the end: so long may calls that are at work go on."""

    # hall
    timezone: str = "Asia/Shanghai"
    """Of the hall: decides what a day is."""
    start_grant: int = Field(10_000, ge=0)
    """Coins of a new player."""
    relief_below: int = Field(1_000, ge=0)
    """Who has less may ask for relief."""
    relief_to: int = Field(2_000, ge=0)
    """What relief fills the wallet up to."""
    relief_per_day: int = Field(3, ge=0)
    """How often a player gets relief on one day."""

    # sessions
    ticket_s: int = Field(300, ge=10, le=300)
    """How long a ticket lets a player come back without the data server."""
    refresh_days: int = Field(30, ge=1)
    """How long a player need not log in again."""
    lock_free: int = Field(5, ge=1)
    """Wrong passwords without a pause, for one account from one address."""
    lock_free_account: int = Field(20, ge=1)
    """The same from all addresses it was never opened from."""
    lock_free_address: int = Field(100, ge=1)
    """The same for all accounts from one address, which a cafe shares."""
    lock_first_s: float = Field(5.0, gt=0)
    """The first pause; each further failure doubles it."""
    lock_longest_s: float = Field(900.0, gt=0)
    """The longest pause after wrong passwords."""
    lock_forget_s: float = Field(3600.0, gt=0)
    """After so long without a failure all is forgotten."""
    hash_threads: int = Field(max(1, (os.cpu_count() or 2) - 1), ge=1)
    """Passwords that are hashed at once."""

    # conduct
    reports_per_hour: int = Field(20, ge=1)
    """Reports of one player about others; more are refused."""
    signals_per_minute: int = Field(60, ge=1)
    """Signals of one kind about one player; more say no more."""
    evidence_days: int = Field(180, ge=1)
    """How long words and evidence of reports are kept."""

    # cluster
    lease_s: float = Field(15.0, gt=0)
    """A server silent for so long counts as gone."""
    takeover_s: float = Field(6.0, gt=0)
    """A server silent for so long loses its hosts to others."""
    escrow_release_s: float = Field(1800.0, gt=0)
    """Stakes on tables of a host silent for so long go back."""
    poll_s: float = Field(1.0, gt=0)
    """How soon it sees what other data servers wrote."""
    house_shards: int = Field(16, ge=1, le=256)
    """Accounts of the house, so that settlements do not wait for one row."""

    # queues: calls at work, and calls that may wait
    logins_at_once: int = Field(8, ge=1)
    """Calls that open a session."""
    logins_waiting: int = Field(256, ge=0)
    """Of these, how many may wait; further ones are refused."""
    settlements_at_once: int = Field(4, ge=1)
    """Calls that book hands."""
    settlements_waiting: int = Field(1024, ge=0)
    """Of these, how many may wait."""
    sittings_at_once: int = Field(6, ge=1)
    """Calls that seat players or return their stakes."""
    sittings_waiting: int = Field(1024, ge=0)
    """Of these, how many may wait."""
    cluster_at_once: int = Field(4, ge=1)
    """Calls about servers, hosts and presence."""
    cluster_waiting: int = Field(2048, ge=0)
    """Of these, how many may wait."""
    reads_at_once: int = Field(6, ge=1)
    """Calls that change nothing."""
    reads_waiting: int = Field(1024, ge=0)
    """Of these, how many may wait."""

    # jobs
    sweep_s: float = Field(10.0, gt=0)
    """Pause between two looks for stakes to return."""
    check_s: float = Field(60.0, gt=0)
    """Pause between two checks of the whole ledger."""
    package_renew_s: float = Field(60.0, gt=0)
    """Pause between two looks whether signatures of packages must be renewed."""
    cleanup_s: float = Field(600.0, gt=0)
    """Pause between two removals of what is too old."""
    address_days: int = Field(90, ge=1)
    """How long addresses of players are kept."""

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, value: str) -> str:
        try:
            ZoneInfo(value)
        except Exception:
            raise ValueError(
                f"{value!r} is no time zone; use a name such as Asia/Shanghai"
            ) from None
        return value

    @field_validator("database_url")
    @classmethod
    def _known_database(cls, value: str) -> str:
        if value and not value.startswith(_DATABASES):
            raise ValueError("use sqlite:///FILE or postgresql://USER@HOST/DATABASE")
        return value

    @model_validator(mode="after")
    def _polls_often_enough(self) -> DataSettings:
        if self.poll_s > self.lease_s / 4:
            raise ValueError("poll_s may be at most a quarter of lease_s")
        if self.poll_s > min(self.takeover_s, self.lease_s) / 4:
            raise ValueError("poll_s may be at most a quarter of takeover_s")
        return self

    def url(self) -> str:
        """The database: the one given, or the SQLite file in the data folder."""
        if self.database_url:
            return self.database_url
        return f"sqlite:///{self.folder() / 'hall.sqlite3'}"

    def lock_rules(self) -> dict[str, Rule]:
        """The rules of store/locks.py."""
        free = {
            PAIR: self.lock_free,
            ACCOUNT: self.lock_free_account,
            ADDRESS: self.lock_free_address,
        }
        first, longest, forget = (
            round(seconds * 1e6)
            for seconds in (self.lock_first_s, self.lock_longest_s, self.lock_forget_s)
        )
        return {kind: Rule(number, first, longest, forget) for kind, number in free.items()}

    def keeps_files(self) -> bool:
        """Whether it has a folder of its own."""
        return self.data_dir is not None or not self.database_url

    def configure_logs(self) -> None:
        logs.configure(
            "data-server",
            level=self.log_level,
            level_file=self.folder() / logs.LEVEL_FILE if self.keeps_files() else None,
            database_log=self.database_log,
        )

    def folder(self) -> Path:
        return self.data_dir or Path(".paiju")

    def migrates(self) -> bool:
        return self.url().startswith("sqlite") if self.auto_migrate is None else self.auto_migrate
