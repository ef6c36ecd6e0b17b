"""Relief: points for who has almost none, a few times a day."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from sqlalchemy import func, insert, select
from sqlalchemy.engine import Connection

from data_server import ledger
from data_server.ledger import COIN
from data_server.store import books, sittings
from data_server.store.tables import Relief


@dataclass(frozen=True)
class ReliefRule:
    below: int
    to: int
    per_day: int
    zone: ZoneInfo

    def day(self, now_us: int) -> str:
        return datetime.fromtimestamp(now_us / 1e6, self.zone).date().isoformat()

    def apply(self, tx: Connection, player: int, *, mint: int, entry: int, now_us: int) -> int:
        """What the player was given: 0 unless wallet and stakes together are below the limit."""
        wallet = books.wallet_of(tx, player)
        if not ledger.relief(total=wallet.coin + wallet.escrow, below=self.below, to=self.to):
            return 0
        held = sittings.held_wallet(tx, player)
        wallet = books.wallet_of(tx, player)  # again, now that nobody can change it
        amount = ledger.relief(total=wallet.coin + wallet.escrow, below=self.below, to=self.to)
        day = self.day(now_us)
        had = tx.scalar(select(func.count()).where(Relief.player_id == player, Relief.day == day))
        if not amount or (had or 0) >= self.per_day:
            return 0
        moves = ledger.grant(mint=mint, wallet=held, amount=amount)
        books.post(tx, [books.NewEntry(entry, "grant", COIN, "relief", moves)], now_us=now_us)
        tx.execute(
            insert(Relief).values(player_id=player, day=day, number=(had or 0) + 1, entry_id=entry)
        )
        return amount
