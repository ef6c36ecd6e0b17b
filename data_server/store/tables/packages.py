"""Game packages: the files of the signed repository, what shall be offered, what servers say."""

from __future__ import annotations

from sqlalchemy import LargeBinary, String, Text
from sqlalchemy.orm import Mapped, mapped_column

from data_server.store.tables.base import Base, Big, Us


class PackageChange(Base):
    """One row: the number of the newest change. Whoever changes anything below locks it first."""

    __tablename__ = "package_change"

    id: Mapped[int] = mapped_column(primary_key=True, autoincrement=False)
    change: Mapped[Big]


class PackageFile(Base):
    """A file of the repository. Only `metadata/timestamp.json` is ever replaced."""

    __tablename__ = "package_file"

    path: Mapped[str] = mapped_column(String(200), primary_key=True)
    data: Mapped[bytes] = mapped_column(LargeBinary)
    written_us: Mapped[Us]


class PackageVersion(Base):
    """What was ever published; an author may take a version back, its row stays."""

    __tablename__ = "package_version"

    package: Mapped[str] = mapped_column(String(40), primary_key=True)
    version: Mapped[str] = mapped_column(String(20), primary_key=True)
    author: Mapped[str] = mapped_column(String(40))
    digest: Mapped[str] = mapped_column(String(64))  # SHA-256 of the archive
    size: Mapped[int]
    rule_sets: Mapped[str] = mapped_column(Text)  # JSON list
    yanked: Mapped[bool]
    published_us: Mapped[Us]


class PackagePlan(Base):
    """What shall be offered of a package: of all servers, or of one (`server`)."""

    __tablename__ = "package_plan"

    package: Mapped[str] = mapped_column(String(40), primary_key=True)
    server: Mapped[str] = mapped_column(String(200), primary_key=True)
    on: Mapped[bool] = mapped_column("is_on")
    version: Mapped[str] = mapped_column(String(20))
    staged: Mapped[str] = mapped_column(String(20))
    percent: Mapped[int]
    pinned: Mapped[bool]
    minimum_client: Mapped[int]
    previous: Mapped[str] = mapped_column(String(20))
    change: Mapped[Big]


class ServerGame(Base):
    """What a game server said of one version."""

    __tablename__ = "server_game"

    server: Mapped[str] = mapped_column(String(200), primary_key=True)
    package: Mapped[str] = mapped_column(String(40), primary_key=True)
    version: Mapped[str] = mapped_column(String(20), primary_key=True)
    state: Mapped[str] = mapped_column(String(16))
    tables: Mapped[int]
    faults: Mapped[int]
    detail: Mapped[str] = mapped_column(Text)
    updated_us: Mapped[Us]


class RoomSetting(Base):
    """What operators have changed of a room. Rows are only added: the newest number counts."""

    __tablename__ = "room_setting"

    room: Mapped[str] = mapped_column(String(100), primary_key=True)
    number: Mapped[Big] = mapped_column(primary_key=True, autoincrement=False)
    values: Mapped[str] = mapped_column(Text)  # JSON
    change: Mapped[Big]
    who: Mapped[str] = mapped_column(String(100))
    why: Mapped[str] = mapped_column(Text)
    set_us: Mapped[Us]


class ServerRoom(Base):
    """What a game server said of one room."""

    __tablename__ = "server_room"

    server: Mapped[str] = mapped_column(String(200), primary_key=True)
    room: Mapped[str] = mapped_column(String(100), primary_key=True)
    package: Mapped[str] = mapped_column(String(40))
    version: Mapped[str] = mapped_column(String(20))
    preset: Mapped[str] = mapped_column(Text)  # JSON
    schema: Mapped[str] = mapped_column(Text)  # JSON
    number: Mapped[Big]
    refused: Mapped[str] = mapped_column(Text)
    updated_us: Mapped[Us]
