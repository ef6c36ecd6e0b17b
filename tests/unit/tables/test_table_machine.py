"""Any order of sit, leave, drop, resume, act, time-out: what must hold always holds."""

from __future__ import annotations

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from game_server.tables.seat import SeatState
from paiju.service.refusals import Refused
from tests.unit.tables.harness import ROOM, Receiver, TableHarness

PLAYERS = st.integers(1, 5)


class TableMachine(RuleBasedStateMachine):
    @initialize(seed=st.integers(0, 50))
    def open(self, seed: int) -> None:
        self.harness = TableHarness(seed=f"machine {seed}")
        self.spectator = self.harness.watch(None)
        self.watching: dict[int, Receiver] = {}
        self.dropped: dict[int, Receiver] = {}
        self.brought = 0
        self.returned = 0

    @rule(player=PLAYERS, seat=st.integers(-1, 3), stake=st.integers(150, 2_000))
    def sit(self, player: int, seat: int, stake: int) -> None:
        try:
            self.harness.sit(player, seat, stake=stake)
        except Refused as refused:
            assert refused.code in {"SEAT_TAKEN", "ALREADY_SEATED", "NO_SUCH_SEAT"}
            return
        self.brought += stake
        self.dropped.pop(player, None)
        self.watching[player] = self.harness.watch(seat)

    @rule(player=PLAYERS, seat=st.integers(0, 2))
    def reserve_and_fail(self, player: int, seat: int) -> None:
        try:
            self.harness.table.roster.reserve(seat=seat, player=player, name="x")
        except Refused:
            return
        self.harness.table.roster.unreserve(seat)

    @rule(player=PLAYERS, ready=st.booleans())
    def ready(self, player: int, ready: bool) -> None:
        try:
            self.harness.table.ready(player, contribution=b"x", ready=ready, at=self.harness.at)
        except Refused as refused:
            assert refused.code in {"NOT_SEATED", "HAND_RUNNING", "NOT_ENOUGH", "RETRY"}
        self.harness.collect()

    @rule()
    def all_ready(self) -> None:
        for player in range(1, 6):
            self.ready(player, True)

    @rule(count=st.integers(1, 12))
    def play(self, count: int) -> None:
        for _ in range(count):
            if self.harness.table.hand is not None:
                self.harness.play_hint()

    @rule(player=PLAYERS, action=st.sampled_from(["pass", "call 1", "play 3s", "escape", "x"]))
    def act(self, player: int, action: str) -> None:
        table = self.harness.table
        steps = len(self.harness.steps)
        seat = table.seat_of(player)
        if action == "escape":
            return  # leaving goes through `stand`
        try:
            self.harness.act(player, action)
        except Refused:
            assert len(self.harness.steps) == steps
        else:
            assert seat is not None

    @rule(player=PLAYERS, abandon=st.booleans())
    def stand(self, player: int, abandon: bool) -> None:
        try:
            self.harness.table.stand(player, abandon=abandon, at=self.harness.at)
        except Refused as refused:
            assert refused.code in {"NOT_SEATED", "CONFIRM_ABANDON"}
            assert refused.code == "NOT_SEATED" or not abandon
        self.harness.collect()

    @rule(player=PLAYERS)
    def drop(self, player: int) -> None:
        receiver = self.watching.pop(player, None)
        if receiver is not None:
            self.harness.receivers.remove(receiver)
            self.dropped[player] = receiver
            self.harness.table.set_away(player, True, now=self.harness.now)

    @rule(player=PLAYERS)
    def resume(self, player: int) -> None:
        receiver, table = self.dropped.pop(player, None), self.harness.table
        if receiver is None:
            return
        viewer = table.viewer_of(player)
        missed = table.missed(player, epoch=table.epoch, seq=receiver.seq)
        assert missed is None or viewer == receiver.viewer, "forms of other eyes do not fit"
        receiver.viewer = viewer
        for form in [table.snapshot(viewer, 0)] if missed is None else missed:
            receiver.take(form)
        self.harness.receivers.append(receiver)
        self.watching[player] = receiver
        table.set_away(player, False, now=self.harness.now)

    @rule(ms=st.sampled_from([10, 1_000, 3_000, 20_000, 70_000]))
    def pass_time(self, ms: int) -> None:
        self.harness.pass_time(ms)

    @rule()
    def escrow_returned(self) -> None:
        for seat in self.harness.leaving:
            held = self.harness.table.seats[seat]
            assert held is not None and held.state is SeatState.LEAVING
            self.returned += held.stake
            receiver = self.watching.pop(held.player, None)
            if receiver is not None:
                self.harness.receivers.remove(receiver)
            self.dropped.pop(held.player, None)
        self.harness.free_leaving()

    @invariant()
    def coins_are_conserved(self) -> None:
        on_table = sum(s.stake for s in self.harness.table.seats if s is not None)
        fees = sum(seat[4] for settled in self.harness.settled for seat in settled.seats)
        assert self.brought == on_table + fees + self.returned

    @invariant()
    def nobody_sits_twice_and_nobody_owes(self) -> None:
        seats = [s for s in self.harness.table.seats if s is not None]
        assert len({s.player for s in seats}) == len(seats)
        assert all(s.stake >= 0 for s in seats)
        assert self.harness.table.hand is None or len(seats) == 3

    @invariant()
    def every_receiver_has_the_tables_view(self) -> None:
        for receiver in self.harness.receivers:
            assert receiver.parts == self.harness.table.stream.view(receiver.viewer)
            assert receiver.seq == self.harness.table.stream.seq

    @invariant()
    def something_is_due_while_a_hand_runs(self) -> None:
        table = self.harness.table
        if table.hand is not None:
            due = table.next_due()
            assert due is not None
            assert due <= self.harness.now + max(ROOM.turn_ms.values()) + ROOM.reserve_ms

    @invariant()
    def hands_are_settled_once_each_in_order(self) -> None:
        hands = [settled.hand for settled in self.harness.settled]
        assert hands == sorted(set(hands))


TestTable = TableMachine.TestCase
TestTable.settings = settings(
    max_examples=40,
    stateful_step_count=40,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
