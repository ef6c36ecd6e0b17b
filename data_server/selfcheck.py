"""What a data server says of itself when the doctor asks."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from data_server.keys import Keys
from data_server.store import migrate
from data_server.store.database import Database
from paiju.service.build import VERSION
from paiju.wire.v1 import data_pb2


@dataclass(frozen=True, kw_only=True)
class SelfCheck:
    """keys, package_expires_us: as they are when they are asked for."""

    database: Database
    keys: Callable[[], Keys]
    package_expires_us: Callable[[], int]
    ledger_checked_s: Callable[[], float]
    tls: bool
    newest: str = field(default_factory=migrate.newest)

    async def look(self) -> data_pb2.SelfCheckReply:
        begun = time.perf_counter()
        revision = await migrate.revision(self.database)
        took_us = round((time.perf_counter() - begun) * 1e6)
        return data_pb2.SelfCheckReply(
            build=VERSION,
            database="sqlite" if self.database.is_sqlite else "postgresql",
            revision=revision or "",
            newest=self.newest,
            read_us=took_us,
            pool_in_use=self.database.pool_in_use(),
            pool_size=self.database.pool_size,
            ticket_keys=[
                data_pb2.TicketKeyInfo(id=key.id(), not_after_us=key.not_after_us)
                for key in self.keys().tickets
            ],
            package_expires_us=self.package_expires_us(),
            ledger_checked_us=round(self.ledger_checked_s() * 1e6),
            tls=self.tls,
        )
