"""One simulated player of a load run, and what all of one process count together."""

from __future__ import annotations

import asyncio
import random
import re
from collections import Counter
from copy import copy
from dataclasses import dataclass, field

from hall_client.backoff import Backoff
from hall_client.bots.mind import Mind
from hall_client.bots.player import BotPlayer, Habits
from hall_client.channels import ChannelPool
from hall_client.client import HallClient
from hall_client.errors import ConnectionFailed, HallError, OutcomeUnknown, Refused
from hall_client.events import Disconnected, Event, Noticed, TableChanged
from hall_client.load.bot import device_secret
from hall_client.load.timings import Timings
from hall_client.mirror import Outcome
from hall_client.table import TableHandle

_CODE = re.compile(r"\b[A-Z][A-Z_]{3,}\b")
_LOST = frozenset({"SEAT_LOST", "TABLE_GONE"})
_ASK_AGAIN = frozenset({"BUSY", "RETRY", "no answer in time"})
LOGIN_S = 120.0
CONNECT_S = 60.0
LONELY_S = 120.0


def reason_of(text: str) -> str:
    """The code in a complaint; without one its beginning, so that reasons can be counted."""
    code = _CODE.search(text)
    return code[0] if code else text[:60]


@dataclass
class Tally:
    """Since the last `take`. refused: logins that were turned away and tried again, by reason."""

    actions: int = 0
    deliveries: int = 0
    timings: Timings = field(default_factory=Timings)
    errors: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)

    def take(self) -> Tally:
        """What was counted; counting goes on from zero."""
        taken = copy(self)
        self.actions = self.deliveries = 0  # the same object goes on: all players hold it
        self.timings, self.errors, self.refused = Timings(), Counter(), Counter()
        return taken


@dataclass
class Pace:
    """think_s: what a player waits before acting, drawn evenly. every_s: the interval at which a
    table acts when nothing stalls, for the correction of latencies; 0: as fast as allowed."""

    think_s: tuple[float, float] = (0.0, 0.0)
    every_s: float = 0.0

    @classmethod
    def of_tables(cls, tables: int, actions_per_s: float) -> Pace:
        """So that this many tables act so often all together; 0: as fast as allowed."""
        if actions_per_s <= 0 or tables <= 0:
            return cls()
        every_s = tables / actions_per_s
        return cls((0.5 * every_s, 1.5 * every_s), every_s)


@dataclass(frozen=True, kw_only=True)
class Ways:
    """How the players of one process get to the hall."""

    gateways: tuple[str, ...]
    server_keys: tuple[bytes, ...]
    pool: ChannelPool
    run: str
    seed: int


class LoadPlayer:
    """Logs in as a guest of its own, sits down in its room and plays until it is stopped.

    A latency is measured from the moment at which the action was to leave (a client that is late
    does not hide a stall) to the moment at which its update is on the player's own board.
    """

    def __init__(self, number: int, room: str, *, ways: Ways, mind: Mind, tally: Tally) -> None:
        self.habits = Habits(room=room, lonely_s=LONELY_S)
        self.pace = Pace()
        self.connected = False
        self._ended = False
        self._leaving = False  # what goes wrong then concerns nobody
        self._number = number
        self._tally = tally
        self._client = HallClient(
            ways.gateways,
            server_keys=ways.server_keys,
            kind="load",
            pool=ways.pool,
            first_address=number,
            connect_timeout_s=CONNECT_S,
            observer=self._saw,
        )
        self._secret = device_secret(ways.run, number)
        self._name = f"load-{ways.run[:6]}-{number}"
        self._complaints = 0
        self.player = BotPlayer(
            client=self._client,
            mind=mind,
            habits=self.habits,
            choices=random.Random(f"{ways.seed}/{number}/choices"),
            act=self._act,
        )

    @property
    def seated(self) -> bool:
        table = self.player.table
        return self.connected and table is not None and table.seat is not None

    def set_pace(self, pace: Pace) -> None:
        self.pace = pace
        self.habits.think_s = pace.think_s

    def leave(self) -> None:
        """Play the hand to its end, stand up, go. Who never got in has waited in vain."""
        if not self.connected and not self._ended:
            self._count_shut_out()
        self._leaving = True
        self.player.stop()

    async def run(self) -> None:
        """Does not raise for what goes wrong: it is counted."""
        try:
            async with self._client:
                await self._log_in()
                self.connected = True
                await self.player.run()
        except ConnectionFailed:
            self._count_shut_out()
        except HallError as error:
            if self._leaving:
                return
            what = reason_of(str(error))
            self._tally.errors[what if self.connected else f"not connected: {what}"] += 1
        except Exception as error:
            self._tally.errors[repr(error)[:80]] += 1
        finally:
            self._ended = True
            self.connected = False
            self.count_complaints()
            mismatches = self._client.counters().mismatches
            if mismatches:
                self._tally.errors["view differs"] += mismatches

    def _count_shut_out(self) -> None:
        why = reason_of(self._client.turned_away or "no answer")
        self._tally.errors[f"not connected: {why}"] += 1

    async def _log_in(self) -> None:
        """A hall that is busy is asked again, as people do; it counts as turned away."""
        until = asyncio.get_running_loop().time() + LOGIN_S
        backoff = Backoff(first_s=0.5, longest_s=8.0)
        while not self._client.connected:  # an answer may have been late, and yet it counts
            try:
                await self._client.guest(self._secret, name=self._name)
                return
            except (Refused, OutcomeUnknown) as no:
                code = no.code if isinstance(no, Refused) else "no answer in time"
                if code == "ALREADY_LOGGED_IN":
                    return
                if code not in _ASK_AGAIN or asyncio.get_running_loop().time() > until:
                    raise
                self._tally.refused[code] += 1
                await asyncio.sleep(backoff.next_s())

    def count_complaints(self) -> None:
        """Those that are new since the last time."""
        complaints = self.player.account.complaints
        for text in complaints[self._complaints :]:
            self._tally.errors[reason_of(text)] += 1
        self._complaints = len(complaints)

    async def _act(self, table: TableHandle, line: str) -> None:
        begun = max(self.player.due, 0.0)
        if not self.pace.every_s:
            begun = asyncio.get_running_loop().time()  # thinking is no latency
        acted = await table.act(line)
        seen = await table.reached(acted.seq)
        self._tally.timings.record(seen - begun, every_s=self.pace.every_s)
        self._tally.actions += 1

    def _saw(self, event: Event) -> None:
        if isinstance(event, TableChanged):
            if event.outcome is Outcome.APPLIED:
                self._tally.deliveries += 1
        elif isinstance(event, Disconnected):
            if not event.final and not self._leaving:
                self._tally.errors[f"cut: {reason_of(event.reason)}"] += 1
        elif isinstance(event, Noticed) and event.code in _LOST:
            self._tally.errors[event.code] += 1
