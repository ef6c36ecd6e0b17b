"""A bot at a table: sits down, is ready, plays, tops up, and leaves when told.

It looks at the mirror and does what is due; it keeps no idea of its own of what happened.
So a lost connection, a moved table or a hand that ended without it need no extra code.
Owner: one task; everything it does is in `run`.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hall_client.bots.mind import Mind
from hall_client.client import HallClient
from hall_client.errors import OutcomeUnknown, Refused, TableLeft
from hall_client.table import TableHandle

TOO_LATE = frozenset({"STALE_DECISION", "NOT_YOUR_TURN", "NO_HAND", "GAME_OVER"})
"""The table moved on between decision and arrival: no mistake of anybody."""
_UNDER_WAY = frozenset({"HAND_RUNNING", "CONFIRM_ABANDON"})
_FULL = frozenset({"ROOM_FULL", "RETRY", "BUSY", "NO_HOST"})
_REJOIN_S = 0.2


@dataclass(kw_only=True)
class Habits:
    """How a bot behaves. Times in seconds, drawn evenly between the two ends.

    room: where it looks for a seat; "": it plays at the table it is given and at no other.
    lonely_s: how long it waits at a table without a hand before it looks for a fuller one.
    """

    room: str
    hands: int | None = None  # None: until told to stop
    think_s: tuple[float, float] = (0.0, 0.0)
    lonely_s: float = 20.0


@dataclass
class Account:
    """What a bot did. `complaints`: refusals that a well-behaved bot should never get."""

    hands: int = 0
    actions: int = 0
    too_late: int = 0
    broke: bool = False
    complaints: list[str] = field(default_factory=list)


Act = Callable[[TableHandle, str], Awaitable[None]]


class BotPlayer:
    """act: how an action is sent and waited for; a driver puts its measuring there."""

    def __init__(
        self,
        *,
        client: HallClient,
        mind: Mind,
        habits: Habits,
        choices: random.Random,
        act: Act | None = None,
    ) -> None:
        self.client = client
        self.account = Account()
        self.table: TableHandle | None = None
        self.due = 0.0
        """Loop time at which the action now on its way was to leave: the end of the thinking."""
        self._mind = mind
        self._habits = habits
        self._choices = choices
        self._act = act or _act
        self._stop = asyncio.Event()

    def stop(self) -> None:
        """Finish the running hand, then stand up."""
        self._stop.set()
        if self.table is not None:
            self.table.changed(asyncio.get_running_loop().time(), numbered=False)

    async def run(self, table: TableHandle | None = None) -> Account:
        """Until told to stop, broke, or the wanted number of hands is played."""
        while not self._stop.is_set() and not self.account.broke:
            self.table = table or await self._join()
            table = None
            if self.table is None:
                if not self._habits.room:
                    break
                continue
            try:
                await self._sit(self.table)
            except TableLeft:
                await asyncio.sleep(_REJOIN_S)
        return self.account

    async def _join(self) -> TableHandle | None:
        if not self._habits.room:
            return None
        try:
            return await self.client.quick_join(self._habits.room)
        except Refused as refused:
            if refused.code == "ALREADY_SEATED" and self.client.tables():
                return self.client.tables()[0]
            if refused.code == "NOT_ENOUGH":
                self.account.broke = True
            elif refused.code in _FULL:
                await asyncio.sleep(_REJOIN_S)
            else:
                self.account.complaints.append(f"quick_join: {refused}")
                self._stop.set()
            return None

    # ---- at a table ------------------------------------------------------------------------

    async def _sit(self, table: TableHandle) -> None:
        """Do what is due until the seat is given up. Raises TableLeft when it was taken."""
        counted, tried = table.hand, (-1, -1)
        begun = table.hand if table.playing else -1
        while True:
            try:
                due = partial(self._due, table, tried)
                view = await table.wait(due, timeout_s=self._habits.lonely_s)
            except TimeoutError:
                if not table.playing and await self._leave(table):
                    return
                continue
            if view["@phase"] == "playing":
                begun = table.hand
                if table.my_turn:
                    tried = (table.mirror.epoch, table.seq)
                    await self._play(table, view)
                continue
            if begun == table.hand and counted != table.hand:
                counted = table.hand
                self.account.hands += 1
            wanted = self._habits.hands
            enough = wanted is not None and self.account.hands >= wanted
            if enough:
                self._stop.set()
            if self._stop.is_set() or self.account.broke:
                if await self._leave(table):
                    return
            else:
                await self._ready(table)

    def _due(self, table: TableHandle, tried: tuple[int, int], view: dict[str, Any]) -> bool:
        if view["@phase"] == "playing":
            return table.my_turn and (table.mirror.epoch, table.seq) != tried
        own = None if table.seat is None else view.get(f"@seat{table.seat}")
        if own is None or own["leaving"]:
            return False  # the notice that the seat is lost is on its way
        return self._stop.is_set() or not own["ready"]

    async def _play(self, table: TableHandle, view: dict[str, Any]) -> None:
        loop = asyncio.get_running_loop()
        decided_on, hand = table.seq, table.hand
        self.due = loop.time() + self._choices.uniform(*self._habits.think_s)
        line = self._mind.choose(view)
        wait = self.due - loop.time()
        if wait > 0:
            await asyncio.sleep(wait)
            if (table.seq, table.hand) != (decided_on, hand):
                return  # something happened meanwhile: look again
        try:
            await self._act(table, line)
            self.account.actions += 1
        except OutcomeUnknown as unknown:
            self.account.complaints.append(f"{line}: {unknown}")
        except Refused as refused:
            # Where several may act at once another may have been faster: a claim that was good
            # when it was made is too weak on arrival. What was faster is seen before the refusal.
            overtaken = (table.seq, table.hand) != (decided_on, hand)
            if refused.code in TOO_LATE or overtaken:
                self.account.too_late += 1
            else:
                self.account.complaints.append(f"{line}: {refused}")

    async def _ready(self, table: TableHandle) -> None:
        try:
            await table.ready()
            await table.wait(lambda view: _is_ready(table, view) or table.playing, timeout_s=30)
        except Refused as refused:
            if refused.code == "NOT_ENOUGH":
                await self._top_up(table, refused)
            elif refused.code not in _UNDER_WAY:
                self.account.complaints.append(f"ready: {refused}")
        except (TimeoutError, OutcomeUnknown) as error:
            self.account.complaints.append(f"ready: {error or 'not shown'}")

    async def _top_up(self, table: TableHandle, refused: Refused) -> None:
        """Bring the stake up to what the room asks for; without coins, give up."""
        have = int(refused.params.get("have", "0"))
        need = int(refused.params.get("need", "0"))
        before = table.stake
        try:
            await table.top_up(max(1, need - have))
            await table.wait(lambda view: table.stake != before, timeout_s=30)
        except Refused as no:
            if no.code not in _UNDER_WAY:
                self.account.broke = True

    async def _leave(self, table: TableHandle) -> bool:
        """Stand up between hands; False when a hand has begun after all."""
        try:
            await table.stand()
        except Refused as refused:
            if refused.code in _UNDER_WAY:
                return False
            if refused.code not in ("NOT_SEATED", "NO_SUCH_TABLE"):
                self.account.complaints.append(f"stand: {refused}")
        return True


def _is_ready(table: TableHandle, view: dict[str, Any]) -> bool:
    own = view.get(f"@seat{table.seat}")
    return own is None or bool(own["ready"])


async def _act(table: TableHandle, line: str) -> None:
    acted = await table.act(line)
    await table.reached(acted.seq)
