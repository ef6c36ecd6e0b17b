"""A person at a table: what is shown when, and what a typed line does.

Owner: one task, `run`. It waits for a line, a change of the table, or the next second, and
then looks at the view; nothing is remembered but what the person has been told.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from hall_client.client import HallClient
from hall_client.errors import ConnectionFailed, HallError, Refused, SessionEnded, TableLeft
from hall_client.events import ChatSaid, Connected, Disconnected, Event, Penalized, TableChanged
from hall_client.terminal import board
from hall_client.terminal.lines import Lines
from hall_client.terminal.moves import Moves
from hall_client.terminal.narrate import narrate
from hall_client.terminal.screen import Screen
from hall_client.terminal.words import Verb, Word, understand
from hall_client.texts import Texts

_TOO_LATE = frozenset({"STALE_DECISION", "NO_HAND", "NOT_YOUR_TURN"})
_TICK_S = 1.0
GIVE_UP_S = 30.0
"""So long nobody answers before the person is told that the hall is gone."""
_FILL_EVERY_S = 3.0
_SNAPSHOT_S = 10.0
View = dict[str, Any]


class Person:
    """`observe` must be the client's observer. fill: lets robots take free seats."""

    def __init__(
        self,
        *,
        screen: Screen,
        lines: Lines,
        texts: Texts,
        moves: Moves,
        fill: Callable[[], Awaitable[int]],
    ) -> None:
        self._screen = screen
        self._lines = lines
        self._texts = texts
        self._moves = moves
        self._fill = fill
        self._news: deque[Event] = deque()
        self._shown: object = None  # what the last board was about; None: not our turn
        self._told_hand = 0  # result shown
        self._short = 0  # what the stake must reach before the next hand
        self._leaving = False  # q was typed once in mid-hand
        self._done = False
        self._fill_after = 0.0
        self._lost_since: float | None = None
        self._saying: set[asyncio.Task[None]] = set()
        self.listening = False  # lines are read and obeyed

    def observe(self, event: Event) -> None:
        """Remember what is to be told."""
        if isinstance(event, TableChanged | ChatSaid | Connected | Disconnected | Penalized):
            self._news.append(event)

    async def run(self, client: HallClient, room: str) -> None:
        """Sit down, play until the person leaves. Raises what ended the session."""
        self._client = client
        held = client.tables()
        self._table = held[0] if held else await client.quick_join(room)
        try:
            await self._table.wait(lambda _: True, timeout_s=_SNAPSHOT_S)
            self._told_hand = self._table.hand if not self._table.playing else 0
            await self._fill_seats()
            if not self._table.playing:
                await self._ready()
            await self._loop()
        except TableLeft as left:
            self._screen.say(self._texts("seat_lost", reason=left), style="red")

    async def _loop(self) -> None:
        line: asyncio.Task[str | None] | None = None
        change = asyncio.create_task(self._table.change())
        self.listening = True
        try:
            while not self._done:
                self._check_connection()
                self._tell()
                await self._fill_seats()
                asking = self._show()
                wanted = asking or self._lines.interactive
                if wanted and line is None and not self._lines.ended:
                    line = asyncio.create_task(self._lines.get())
                if asking and self._lines.ended:
                    await self._without_person()
                    continue
                waiting = {change} if line is None or not wanted else {change, line}
                await asyncio.wait(waiting, timeout=_TICK_S, return_when=asyncio.FIRST_COMPLETED)
                if change.done():
                    change.result()  # raises what ended the table
                    change = asyncio.create_task(self._table.change())
                if line is not None and line.done() and wanted:
                    typed, line = line.result(), None
                    if typed is None:
                        self._tell()
                        self._screen.say(self._texts("input_ended"), style="dim")
                    else:
                        self._screen.typed()
                        await self._obey(typed)
        finally:
            self.listening = False
            for task in (line, change):
                if task is not None:
                    task.cancel()
                    with contextlib.suppress(asyncio.CancelledError, HallError):
                        await task

    def _check_connection(self) -> None:
        """ConnectionFailed when no gateway has taken us in for GIVE_UP_S, or when the person
        asked to leave meanwhile."""
        if self._client.connected:
            self._lost_since = None
            return
        now = asyncio.get_running_loop().time()
        if self._lost_since is None:
            self._lost_since = now
        if now - self._lost_since > GIVE_UP_S:
            raise ConnectionFailed("no gateway answers any more")

    async def _fill_seats(self) -> None:
        """Robots take what is free between hands; tried again every few seconds."""
        now = asyncio.get_running_loop().time()
        free = None in self._table.seats and not self._table.playing
        if not free or now < self._fill_after:
            return
        self._fill_after = now + _FILL_EVERY_S
        came = await self._fill()
        if came:
            self._screen.say(self._texts("robots_come", count=came), style="dim")

    # ---- showing ---------------------------------------------------------------------------

    def _tell(self) -> None:
        """Print what has happened since the last time."""
        texts = self._texts
        while self._news:
            event = self._news.popleft()
            if isinstance(event, ChatSaid):
                said = texts("says", name=event.line.name, text=event.line.text)
                self._screen.say(said, style="magenta")
            elif isinstance(event, Penalized):
                self._screen.say(event.notice.text, style="bold red")
                self._hear(event.notice.id)
            elif isinstance(event, Connected) and event.resumed:
                self._screen.say(texts("back"), style="green")
            elif isinstance(event, Disconnected) and not event.final:
                self._screen.say(texts("lost"), style="yellow")
            elif isinstance(event, TableChanged) and event.table == self._table.id:
                called = board.names(self._table.view, texts)
                for happened in event.events:
                    told = narrate(happened, called, texts)
                    if told is not None:
                        self._screen.say(told)

    def _hear(self, penalty: int) -> None:
        """Say that it was shown; when that is lost it is shown again the next time."""
        task = asyncio.create_task(self._client.heard(penalty))
        self._saying.add(task)
        task.add_done_callback(self._said)

    def _said(self, task: asyncio.Task[None]) -> None:
        self._saying.discard(task)
        if not task.cancelled():
            task.exception()

    def _show(self) -> bool:
        """Board or result when they are due, and the status line; whether input is wanted."""
        table, view = self._table, self._table.view
        if view["@phase"] != "playing":
            self._leaving = False
            return self._show_between(view)
        if not table.my_turn:
            self._moves.hint, self._shown = "", None
            self._show_waiting(view)
            return self._leaving
        about = self._about(view)
        if self._shown != about:
            self._shown, self._moves.hint = about, ""
            self._show_board(view)
            if self._moves.only_pass(view):
                self._screen.say(self._texts("nothing_beats"), style="dim")
        assert table.seat is not None
        seconds = int(table.seconds_left(table.seat))
        status = self._texts("your_turn", what=self._moves.asked(view), seconds=seconds)
        self._screen.status(status, about=about)
        return True

    def _about(self, view: View) -> object:
        """What a board is for: while it stays the same there is nothing new to show. Others may
        act in the same phase, and cards may come, without a new board each time."""
        keys = ("phase", "table", "laid", "posts", "claim", "legal")
        return self._table.hand, *(repr(view.get(key)) for key in keys)

    def _show_waiting(self, view: View) -> None:
        """Whom all wait for; and what may be done out of turn."""
        table, texts = self._table, self._texts
        seat = min((turn for turn in table.turns if turn >= 0), default=-1)
        if seat < 0:
            self._screen.status(texts("waiting_cards"), about="cards", asks=False)
            return
        name, seconds = board.names(view, texts)[seat], int(table.seconds_left(seat))
        text = texts("waiting_for", name=name, seconds=seconds)
        early = self._moves.asked(view)
        if early:
            text = texts("may_already", text=text, what=early)
        self._screen.status(text, about=seat, asks=False)

    def _show_board(self, view: View) -> None:
        self._screen.say(board.board(view, self._texts, away=self._table.mirror.away))
        task = board.task(view, self._texts)
        if task:
            self._screen.say(task, style="bold")

    def _show_between(self, view: View) -> bool:
        if "@result" in view and self._told_hand != self._table.hand:
            self._told_hand = self._table.hand
            self._screen.say(board.result(view, self._texts))
        own = view.get(f"@seat{self._table.seat}")
        free = sum(seat is None for seat in self._table.seats)
        if own is None or own["ready"]:
            key = "waiting_seats" if free else "waiting_ready"
            self._screen.status(self._texts(key, free=free), about=key, asks=False)
            return False
        about = (self._table.hand, self._short)
        if self._lines.ended:
            return True
        if self._short:
            self._screen.status(self._texts("short", need=self._short), about=about)
        else:
            self._screen.status(self._texts("next_hand", stake=own["stake"]), about=about)
        return True

    # ---- obeying ---------------------------------------------------------------------------

    async def _obey(self, typed: str) -> None:
        view = self._table.view
        playing = view["@phase"] == "playing"
        word = understand(typed)
        if self._leaving and word.verb is not Verb.QUIT:
            self._leaving = False
            self._screen.say(self._texts("stay"), style="dim")
            return
        try:
            if word.verb is Verb.QUIT:
                await self._quit()
            elif word.verb is Verb.CHAT:
                await self._table.chat(word.text)
            elif word.verb in (Verb.HELP, Verb.RULES, Verb.BOARD):
                self._explain(word.verb, view)
            elif not playing:
                await self._ready()
            else:
                await self._move(word, view)
        except Refused as refused:
            late = refused.code in _TOO_LATE
            told = refused.sentence
            if refused.code == "INTERNAL" and refused.op:
                told = f"{told} ({refused.op})"  # what an operator needs to trace it
            reason = self._texts("refused", reason=told)
            self._screen.say(self._texts("too_late") if late else reason, style="yellow")

    def _explain(self, about: Verb, view: View) -> None:
        if about is Verb.BOARD:
            self._show_board(view)
        else:
            say = self._moves.typing if about is Verb.HELP else self._moves.rules
            self._screen.say(say(view))

    async def _move(self, word: Word, view: View) -> None:
        """In mid-hand. Out of turn only what the game offers then."""
        if not self._table.my_turn and not self._moves.offered(view):
            self._screen.say(self._texts("not_your_turn"), style="yellow")
        elif word.verb is Verb.LIST:
            self._screen.say(self._moves.listed(view))
        elif word.verb is Verb.HINT:
            if self._table.my_turn:
                self._moves.suggest(view)
            else:
                self._screen.say(self._texts("not_your_turn"), style="yellow")
        elif word.verb is Verb.NOTHING:
            if self._moves.hint:
                await self._act(self._moves.hint)
        else:
            line = self._moves.read(word.text, view)
            if line:
                await self._act(line)

    async def _act(self, line: str) -> None:
        acted = await self._table.act(line)
        await self._table.reached(acted.seq)

    async def _ready(self) -> None:
        """Want the next hand; bring more when the stake is too small for the room."""
        try:
            if self._short:
                await self._table.top_up(self._short - self._table.stake)
                self._short = 0
            await self._table.ready()
        except Refused as refused:
            if refused.code == "NOT_ENOUGH" and not self._short:
                self._short = int(refused.params.get("need", "0"))
                self._screen.say(refused.sentence, style="yellow")
            elif refused.code != "HAND_RUNNING":
                raise

    async def _quit(self) -> None:
        try:
            await self._table.stand(abandon=self._leaving)
            self._done = True
        except Refused as refused:
            if refused.code != "CONFIRM_ABANDON":
                raise
            self._leaving = True
            penalty = refused.params.get("penalty", "?")
            self._screen.say(self._texts("penalty", penalty=penalty), style="yellow")

    async def _without_person(self) -> None:
        """Input has ended: finish the hand by hints, then leave. No penalty that way."""
        view = self._table.view
        if view["@phase"] == "playing" and self._table.my_turn:
            with contextlib.suppress(Refused):
                await self._act(self._moves.choose(view))
        elif view["@phase"] != "playing":
            self._leaving = False
            await self._quit()
        else:
            self._leaving = False


def ended(error: SessionEnded, texts: Texts) -> str:
    """The sentence for a session that is over."""
    return texts("ended", reason=str(error) or error.code)
