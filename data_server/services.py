"""The parts of a data server behind its ports, put together over one database."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from data_server.accounts import Accounts
from data_server.backoffice import BackOffice
from data_server.bank import Bank
from data_server.changes import Changes
from data_server.conduct import Conduct
from data_server.depot import Depot
from data_server.discipline import Discipline
from data_server.follow import Followers
from data_server.metrics import Metrics
from data_server.passwords import Passwords
from data_server.plans import Plans
from data_server.policy import MayPlay
from data_server.registry import Registry
from data_server.rooms import Rooms
from data_server.settings import DataSettings
from data_server.shard_map import ShardMap
from data_server.stopped import StoppedTables
from data_server.store.books import load_hall_accounts
from data_server.store.database import Database
from data_server.store.ids import Ids
from data_server.store.locks import Locks
from data_server.store.operations import Operations
from data_server.store.reliefs import ReliefRule
from data_server.store.sessions import Opener
from data_server.tickets import Tickets
from data_server.vigilance import Vigilance
from data_server.whereabouts import Whereabouts
from paiju.packages.beginning import Beginning
from paiju.packages.repository import OnlineKeys

DAY_US = 86_400 * 10**6


@dataclass(frozen=True, kw_only=True)
class Services:
    database: Database
    followers: Followers
    ids: Ids
    operations: Operations
    accounts: Accounts
    bank: Bank
    registry: Registry
    shards: ShardMap
    whereabouts: Whereabouts
    office: BackOffice
    stopped: StoppedTables
    conduct: Conduct
    discipline: Discipline
    vigilance: Vigilance
    changes: Changes
    depot: Depot
    plans: Plans
    rooms: Rooms

    @classmethod
    async def build(
        cls,
        settings: DataSettings,
        *,
        database: Database,
        registry: Registry,
        followers: Followers,
        passwords: Passwords,
        tickets: Tickets,
        may_play: MayPlay,
        metrics: Metrics,
        package_keys: tuple[Beginning, OnlineKeys] | None,
        clock: Callable[[], int],
    ) -> Services:
        """Needs the schema; makes the hall's own accounts when they are missing."""
        ids = Ids(database)
        hall = await load_hall_accounts(ids, shards=settings.house_shards)
        operations = Operations(database, key=tickets.keys.derived("operations"), clock=clock)
        accounts = Accounts(
            database=database,
            ids=ids,
            operations=operations,
            passwords=passwords,
            tickets=tickets,
            locks=Locks(tickets.keys.derived("locks"), settings.lock_rules()),
            opener=Opener(tickets, settings.refresh_days * DAY_US),
            relief=ReliefRule(
                below=settings.relief_below,
                to=settings.relief_to,
                per_day=settings.relief_per_day,
                zone=ZoneInfo(settings.timezone),
            ),
            followers=followers,
            hall=hall,
            start_grant=settings.start_grant,
            clock=clock,
        )
        bank = Bank(
            database=database,
            ids=ids,
            operations=operations,
            hall=hall,
            may_play=may_play,
            clock=clock,
        )
        office = BackOffice(
            database=database,
            ids=ids,
            operations=operations,
            registry=registry,
            hall=hall,
            clock=clock,
            started_us=clock(),
        )
        conduct = Conduct(
            database=database,
            ids=ids,
            followers=followers,
            hall=hall,
            reports_per_hour=settings.reports_per_hour,
            signals_per_minute=settings.signals_per_minute,
            clock=clock,
            on_report=metrics.report,
            on_penalty=metrics.penalty,
        )
        discipline = Discipline(
            database=database,
            ids=ids,
            operations=operations,
            followers=followers,
            hall=hall,
            clock=clock,
            on_penalty=metrics.penalty,
        )
        changes = Changes()
        depot = Depot(
            database=database,
            operations=operations,
            changes=changes,
            keys=package_keys,
            clock=clock,
        )
        return cls(
            database=database,
            followers=followers,
            ids=ids,
            operations=operations,
            accounts=accounts,
            bank=bank,
            registry=registry,
            shards=ShardMap(database=database, registry=registry),
            whereabouts=Whereabouts(database=database, registry=registry, clock=clock),
            office=office,
            stopped=StoppedTables(database=database, ids=ids, operations=operations, clock=clock),
            conduct=conduct,
            discipline=discipline,
            vigilance=Vigilance(database=database, clock=clock),
            changes=changes,
            depot=depot,
            plans=Plans(
                database=database,
                operations=operations,
                changes=changes,
                depot=depot,
                clock=clock,
            ),
            rooms=Rooms(database=database, operations=operations, changes=changes, clock=clock),
        )
