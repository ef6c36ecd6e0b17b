"""A player's client: the product's `Core` on simulated lines, and what it was told, written down.

The shell is modelled after hall_client/connection.py: greet, go to the next gateway when the
line is lost, wait between attempts. What was answered and shown is the evidence that
checks.py holds against the journal.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from hall_client import events
from hall_client.backoff import Backoff
from hall_client.core import Core
from hall_client.errors import Refused
from hall_client.happenings import Answered, Failed, Hangup, Happening
from hall_client.mirror import Outcome
from hall_client.state import Phase
from paiju.service import ids
from paiju.wire.v1 import hall_pb2
from tests.sim.clockwork import Process
from tests.sim.gateway import GatewayProcess, Line

GREET_S = 5.0
DEADLINE_S = 40.0


@dataclass
class Asked:
    """An operation of the client and what became of it."""

    player: int
    op: bytes
    kind: str
    table: int
    hand: int = 0
    answer: hall_pb2.Answer | None = None
    failure: str = ""  # code of a refusal, or the name of what was raised


@dataclass(frozen=True)
class Shown:
    """A numbered update that the client's board has taken in."""

    table: int
    epoch: int
    seq: int
    snapshot: bool


class SimClient:
    """on_change: something happened; on_end: the session is over for good."""

    def __init__(
        self,
        process: Process,
        gateways: Sequence[GatewayProcess | None],
        *,
        secret: bytes,
        first: int,
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.process = process
        self.core = Core(client="sim", new_op=ids.new_op)
        self.asked: list[Asked] = []
        self.shown: list[Shown] = []
        self.on_change = on_change
        self.refused: list[str] = []
        self._gateways = gateways
        self._turn = first
        self._line: Line | None = None
        self._open: dict[int, Asked] = {}
        self._backoff = Backoff(jitter=process.loop.entropy.random)
        self._timer: Any = None
        self._secret = secret
        self._opener = 0
        self._not_let_in = False

    @property
    def player(self) -> int:
        return self.core.credentials.profile.player

    @property
    def gone(self) -> bool:
        """It will not come back by itself."""
        return not self.process.alive or self.core.ending is not None or self._not_let_in

    @property
    def connected(self) -> bool:
        return not self.gone and self.core.phase is Phase.OPEN

    @property
    def waiting(self) -> int:
        """Operations without an answer."""
        return len(self._open)

    def start(self) -> None:
        """Call in the client's context."""
        guest = hall_pb2.Command(open_guest=hall_pb2.OpenGuest(device_secret=self._secret))
        self._opener = self.core.submit(guest, now=self._now()).id
        self._connect()

    def _now(self) -> float:
        return self.process.loop.now

    # ---- asking ----------------------------------------------------------------------------

    def ask(self, command: hall_pb2.Command, *, table: int = 0, hand: int = 0) -> None:
        """Submit an operation; call in the client's context."""
        now = self._now()
        pending = self.core.submit(command, now=now, deadline=now + DEADLINE_S)
        asked = Asked(self.player, pending.message.op, pending.kind, table, hand)
        self.asked.append(asked)
        self._open[pending.id] = asked
        self._pump()

    def cut(self, *, silently: bool) -> None:
        """The line is lost, as far as the client is concerned."""
        if self._line is not None and not self._line.over:
            self._line.hang_up(silently=silently)
            self._lost(self._line)

    # ---- the line --------------------------------------------------------------------------

    def _connect(self) -> None:
        if self.gone or self._line is not None:
            return
        gateway = self._gateways[self._turn % len(self._gateways)]
        self._turn += 1
        self.core.connected(self._now())
        if gateway is None:
            self._disconnected("nobody there")
            return
        line = self._line = gateway.dial(self.process, self._packet, self._lost)
        self._later(GREET_S, self._greeted, line)
        self._pump()

    def _later(self, seconds: float, work: Callable[..., None], *args: Any) -> Any:
        loop = self.process.loop
        return loop.call_later(seconds, work, *args, context=self.process.context)

    def _greeted(self, line: Line) -> None:
        if line is self._line and self.core.phase is not Phase.OPEN:
            self.cut(silently=False)

    def _packet(self, packet: bytes) -> None:
        self.core.receive(packet, self._now())
        self._pump()

    def _lost(self, line: Line) -> None:
        if line is self._line:
            self._line = None
            self._disconnected("lost")

    def _disconnected(self, reason: str) -> None:
        if self.core.phase is Phase.OPEN:
            self._backoff.succeeded()
        self.core.disconnected(self._now(), reason)
        self._take()
        if not self.gone:
            self._later(self._backoff.next_s(), self._connect)

    def _pump(self) -> None:
        """Hear what the core has to say, and send what it has to send."""
        now = self._now()
        self.core.tick(now)
        self._take()
        if self._not_let_in:
            self.cut(silently=False)
        if self._line is not None:
            for packet in self.core.packets(now):
                self._line.send(packet)
        if self._timer is not None:
            self._timer.cancel()
        due = self.core.next_due()
        self._timer = self._later(max(0.001, due - now), self._pump) if due < 1e9 else None
        self.on_change()

    # ---- what it was told ------------------------------------------------------------------

    def _take(self) -> None:
        hangup = False
        for happening in self.core.take():
            self._note(happening)
            hangup |= isinstance(happening, Hangup)
        if hangup:
            self.cut(silently=False)

    def _note(self, happening: Happening) -> None:
        if isinstance(happening, Answered):
            asked = self._open.pop(happening.id, None)
            if asked is not None:
                asked.answer = happening.answer
        elif isinstance(happening, Failed):
            self._not_let_in |= happening.id == self._opener
            asked = self._open.pop(happening.id, None)
            if asked is not None:
                error = happening.error
                asked.failure = error.code if isinstance(error, Refused) else type(error).__name__
        elif isinstance(happening, events.TableChanged) and happening.outcome is Outcome.APPLIED:
            self.shown.append(
                Shown(happening.table, happening.epoch, happening.seq, happening.snapshot)
            )
