"""The tables, by subject. Importing this package fills `Base.metadata`."""

from data_server.store.tables.base import MAX_AMOUNT, Base
from data_server.store.tables.cluster import (
    GameServer,
    Host,
    Presence,
    RoomShard,
    SessionEvent,
)
from data_server.store.tables.conduct import (
    Penalty,
    PenaltyNotice,
    PenaltyStep,
    PolicyRule,
    Report,
)
from data_server.store.tables.money import Account, Entry, Posting
from data_server.store.tables.packages import (
    PackageChange,
    PackageFile,
    PackagePlan,
    PackageVersion,
    RoomSetting,
    ServerGame,
    ServerRoom,
)
from data_server.store.tables.persons import Device, PlayerAddress
from data_server.store.tables.play import HandRecord, HostFence, RefusedHand, Settled, Sitting
from data_server.store.tables.players import (
    Credential,
    LoginLock,
    Player,
    PlayerSession,
    Relief,
)
from data_server.store.tables.service import AuditRow, IdBlock, Operation, Restore

__all__ = [
    "MAX_AMOUNT",
    "Account",
    "AuditRow",
    "Base",
    "Credential",
    "Device",
    "Entry",
    "GameServer",
    "HandRecord",
    "Host",
    "HostFence",
    "IdBlock",
    "LoginLock",
    "Operation",
    "PackageChange",
    "PackageFile",
    "PackagePlan",
    "PackageVersion",
    "Penalty",
    "PenaltyNotice",
    "PenaltyStep",
    "Player",
    "PlayerAddress",
    "PlayerSession",
    "PolicyRule",
    "Posting",
    "Presence",
    "RefusedHand",
    "Relief",
    "Report",
    "Restore",
    "RoomSetting",
    "RoomShard",
    "ServerGame",
    "ServerRoom",
    "SessionEvent",
    "Settled",
    "Sitting",
]
