"""Whether the hands that clients saw end are in the ledger: by plain SQL."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from sqlalchemy import Engine, text
from sqlalchemy.exc import DBAPIError

Hand = tuple[int, int]
"""Table and number."""

_BOOKED = text("SELECT table_id, hand FROM settlement")


class Booked:
    """`mark` says which hands are waited for. ended: all that were seen to end so far."""

    def __init__(self, engine: Engine, ended: Callable[[], Collection[Hand]]) -> None:
        self._engine = engine
        self._ended = ended
        self._missing: set[Hand] = set()

    def mark(self) -> None:
        """From now on all hands that have ended by this moment are waited for."""
        self._missing = set(self._ended())

    async def all(self) -> bool:
        """Whether they are all booked; a database that does not answer says no."""
        if self._missing:
            try:
                self._missing -= await asyncio.to_thread(self._read)
            except DBAPIError:
                return False
        return not self._missing

    def _read(self) -> set[Hand]:
        with self._engine.connect() as connection:
            return {(row.table_id, row.hand) for row in connection.execute(_BOOKED)}
