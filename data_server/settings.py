"""Settings of the data server: flags, environment (PAIJU_...), defaults."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo

from pydantic import Field, field_validator, model_validator

from data_server.store.locks import ACCOUNT, ADDRESS, PAIR
from data_server.throttle import Rule
from paiju.service.peers import PeerSettings
from paiju.service.trace import TraceSettings

# Drivers may be named; the program brings its own (store/database.py).
_DATABASES = ("sqlite://", "postgresql://", "postgresql+psycopg://")


class DataSettings(PeerSettings, TraceSettings):
    """Every field is read from `PAIJU_` + its name in upper case unless a flag gives it."""

    # where things are
    data_dir: Path | None = None  # holds what is not given below: database, keys, tokens
    database_url: str = ""  # sqlite:///FILE or postgresql://USER@HOST/DATABASE
    auto_migrate: bool | None = None  # None: only for SQLite
    ticket_key_file: Path | None = None
    cluster_token_file: Path | None = None
    admin_key_file: Path | None = None
    package_keys_dir: Path | None = None  # `online` of `paiju package init-keys`

    # where it listens; port 0 picks a free one
    data_listen: str = "127.0.0.1:7410"
    data_admin_listen: str = "127.0.0.1:7411"
    data_metrics_listen: str = "127.0.0.1:7412"
    log_level: str = "INFO"
    drain_grace_s: float = Field(10.0, ge=0)

    # hall
    timezone: str = "Asia/Shanghai"  # decides what a day is
    start_grant: int = Field(10_000, ge=0)
    relief_below: int = Field(1_000, ge=0)
    relief_to: int = Field(2_000, ge=0)
    relief_per_day: int = Field(3, ge=0)

    # sessions
    ticket_s: int = Field(300, ge=10, le=300)
    refresh_days: int = Field(30, ge=1)
    lock_free: int = Field(5, ge=1)  # wrong passwords for one account from one address
    lock_free_account: int = Field(20, ge=1)  # from all addresses it was never opened from
    lock_free_address: int = Field(100, ge=1)  # for all accounts: a cafe shares one address
    lock_first_s: float = Field(5.0, gt=0)  # first pause; each further failure doubles it
    lock_longest_s: float = Field(900.0, gt=0)
    lock_forget_s: float = Field(3600.0, gt=0)  # without a failure, all is forgotten
    hash_threads: int = Field(max(1, (os.cpu_count() or 2) - 1), ge=1)

    # conduct
    reports_per_hour: int = Field(20, ge=1)  # of one player about others
    signals_per_minute: int = Field(60, ge=1)  # of one kind about one player; more say no more
    evidence_days: int = Field(180, ge=1)  # how long words and evidence of reports are kept

    # cluster
    lease_s: float = Field(15.0, gt=0)
    takeover_s: float = Field(6.0, gt=0)  # a server silent for so long loses its hosts to others
    escrow_release_s: float = Field(1800.0, gt=0)
    poll_s: float = Field(1.0, gt=0)  # how soon it sees what other data servers wrote
    house_shards: int = Field(16, ge=1, le=256)

    # queues: calls at work, and calls that may wait
    logins_at_once: int = Field(8, ge=1)
    logins_waiting: int = Field(256, ge=0)
    settlements_at_once: int = Field(4, ge=1)
    settlements_waiting: int = Field(1024, ge=0)
    sittings_at_once: int = Field(6, ge=1)
    sittings_waiting: int = Field(1024, ge=0)
    cluster_at_once: int = Field(4, ge=1)
    cluster_waiting: int = Field(2048, ge=0)
    reads_at_once: int = Field(6, ge=1)
    reads_waiting: int = Field(1024, ge=0)

    # jobs
    sweep_s: float = Field(10.0, gt=0)
    check_s: float = Field(60.0, gt=0)  # pause between two checks of the whole ledger
    package_renew_s: float = Field(60.0, gt=0)
    cleanup_s: float = Field(600.0, gt=0)
    address_days: int = Field(90, ge=1)  # how long addresses of players are kept

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

    def folder(self) -> Path:
        return self.data_dir or Path(".paiju")

    def migrates(self) -> bool:
        return self.url().startswith("sqlite") if self.auto_migrate is None else self.auto_migrate
