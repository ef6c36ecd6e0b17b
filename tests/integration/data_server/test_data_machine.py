"""Random sitting, topping up, settling and standing, against a model in dictionaries.

Every call is sometimes repeated, sent again with another body, sent under an epoch that is
over, or cut off by its caller in the middle and then repeated.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from data_server.lanes import Lane
from data_server.ledger import MAX_AMOUNT
from data_server.server import DataServer
from data_server.settings import DataSettings
from paiju.service.ids import new_op
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2

TABLES, SEATS, PLAYERS = 2, 3, 4
START = 10_000
RULE_SET = "doudizhu.classic"


@dataclass
class Sat:
    id: int
    player: int
    stake: int


@dataclass
class Table:
    ref: common_pb2.TableRef
    seats: dict[int, Sat] = field(default_factory=dict)
    paid: dict[int, int] = field(default_factory=dict)  # by player
    pot: int = 0
    hand: int = 0


class Machine(RuleBasedStateMachine):
    runner: ClassVar[asyncio.Runner]  # both are set by the test
    server: ClassVar[DataServer]

    def __init__(self) -> None:
        super().__init__()
        self.lane = Lane("test", at_once=4, waiting=100)
        self.bank = self.server.services.bank

    def call(self, work: Callable[[Any], Any], request: Any, answer: type) -> Any:
        async def asked() -> Any:
            try:
                return await self.lane.run(lambda: work(request))
            except Refused as refused:
                return answer(refusal=refused.message())

        return self.runner.run(asked())

    def cut(self, work: Callable[[Any], Any], request: Any, after: int) -> None:
        """Send the request and stop waiting for its answer after some turns of the loop."""

        async def cut() -> None:
            task = asyncio.ensure_future(self.lane.run(lambda: work(request)))
            for _ in range(after):
                await asyncio.sleep(0)
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()

        self.runner.run(cut())

    @initialize()
    def begin(self) -> None:
        async def setup() -> None:
            self.players = []
            for _ in range(PLAYERS):
                reply = await self.server.services.accounts.open_guest(
                    data_pb2.OpenGuestRequest(op=new_op(), device_secret=secrets.token_bytes(32))
                )
                self.players.append((reply.session.profile.player, reply.session.session_epoch))
            self.tables = [
                Table(common_pb2.TableRef(room="r", table=await self.server.services.ids.one()))
                for _ in range(TABLES)
            ]

        self.runner.run(setup())
        self.host = data_pb2.HostEpoch(host=f"h{self.players[0][0]}", epoch=3)
        self.wallet = {player: START for player, _ in self.players}
        self.settled: list[data_pb2.Settlement] = []

    tables_at = st.integers(0, TABLES - 1)
    seats_at = st.integers(0, SEATS - 1)
    cuts = st.one_of(st.none(), st.integers(0, 60))

    @rule(
        at=tables_at,
        seat=seats_at,
        who=st.integers(0, PLAYERS - 1),
        amount=st.sampled_from([0, 1, 400, 3000, 10_001, MAX_AMOUNT + 1]),
        cut=cuts,
    )
    def sit(self, at: int, seat: int, who: int, amount: int, cut: int | None) -> None:
        table = self.tables[at]
        player, epoch = self.players[who]
        request = data_pb2.SitDownRequest(
            op=new_op(),
            host=self.host,
            player=player,
            table=table.ref,
            seat=seat,
            currency=common_pb2.COIN,
            amount=amount,
            rule_set=RULE_SET,
            session_epoch=epoch,
        )
        if cut is not None:
            self.cut(self.bank.sit_down, request, cut)
        reply = self.call(self.bank.sit_down, request, data_pb2.SitDownReply)
        if not 0 < amount <= MAX_AMOUNT:
            wanted = "BAD_AMOUNT"
        elif any(sat.player == player for sat in table.seats.values()):
            wanted = "ALREADY_SEATED"
        elif seat in table.seats:
            wanted = "SEAT_TAKEN"
        else:
            wanted = "" if self.wallet[player] >= amount else "NOT_ENOUGH"
        assert reply.refusal.code == wanted
        if not wanted:
            self.wallet[player] -= amount
            table.seats[seat] = Sat(reply.sitting, player, amount)
        self.again(self.bank.sit_down, request, reply)

    def again(self, work: Callable[[Any], Any], request: Any, reply: Any) -> None:
        """A repeat gets the same answer, also under a later epoch; another body none."""
        registered = data_pb2.RegisterHostRequest(host=self.host)
        register = self.server.services.registry.register_host
        self.host.epoch = self.runner.run(register(registered)).epoch
        request.host.epoch = self.host.epoch
        assert self.call(work, request, type(reply)) == reply
        stale = type(request)()
        stale.CopyFrom(request)
        stale.host.epoch -= 1
        stale.op = new_op()
        assert self.call(work, stale, type(reply)).refusal.code == "STALE_EPOCH"
        if isinstance(request, data_pb2.StandUpRequest):
            request.sitting += 1
        else:
            request.amount += 1
        assert self.call(work, request, type(reply)).refusal.code == "OP_REUSED"

    def someone(self, data: st.DataObject) -> tuple[Table, int, Sat]:
        choices = [(t, seat, sat) for t in self.tables for seat, sat in t.seats.items()]
        return data.draw(st.sampled_from(choices))

    @precondition(lambda self: any(table.seats for table in self.tables))
    @rule(data=st.data(), amount=st.sampled_from([0, 7, 5000]), cut=cuts)
    def top_up(self, data: st.DataObject, amount: int, cut: int | None) -> None:
        _, _, sat = self.someone(data)
        request = data_pb2.TopUpRequest(op=new_op(), host=self.host, sitting=sat.id, amount=amount)
        if cut is not None:
            self.cut(self.bank.top_up, request, cut)
        reply = self.call(self.bank.top_up, request, data_pb2.TopUpReply)
        if not amount:
            assert reply.refusal.code == "BAD_AMOUNT"
        elif self.wallet[sat.player] < amount:
            assert reply.refusal.code == "NOT_ENOUGH"
        else:
            self.wallet[sat.player] -= amount
            sat.stake += amount
            assert reply.stake == sat.stake
        self.again(self.bank.top_up, request, reply)

    @precondition(lambda self: any(table.seats for table in self.tables))
    @rule(data=st.data(), cut=cuts)
    def stand(self, data: st.DataObject, cut: int | None) -> None:
        table, seat, sat = self.someone(data)
        request = data_pb2.StandUpRequest(op=new_op(), host=self.host, sitting=sat.id)
        if cut is not None:
            self.cut(self.bank.stand_up, request, cut)
        reply = self.call(self.bank.stand_up, request, data_pb2.StandUpReply)
        assert reply.returned == sat.stake
        self.wallet[sat.player] += sat.stake
        del table.seats[seat]
        if not table.seats and table.pot:
            total = sum(table.paid.values())
            for player, paid in table.paid.items():
                self.wallet[player] += table.pot * paid // total
            table.pot, table.paid = 0, {}
        self.again(self.bank.stand_up, request, reply)

    @precondition(lambda self: any(len(table.seats) >= 2 for table in self.tables))
    @rule(data=st.data(), cut=cuts)
    def settle(self, data: st.DataObject, cut: int | None) -> None:
        table = data.draw(st.sampled_from([t for t in self.tables if len(t.seats) >= 2]))
        seats = sorted(table.seats.items())
        fee = data.draw(st.integers(0, 5))
        pot = data.draw(st.sampled_from([0, 0, 13, -table.pot, -table.pot // 2]))
        deltas = [data.draw(st.integers(-600, 600)) for _ in seats[1:]]
        deltas.insert(0, -sum(deltas) - fee * len(seats) - pot)
        table.hand += 1
        settlement = data_pb2.Settlement(
            table=table.ref,
            hand=table.hand,
            rule_set=RULE_SET,
            currency=common_pb2.COIN,
            pot_change=pot,
            seats=[
                data_pb2.SeatChange(
                    seat=seat, sitting=sat.id, player=sat.player, delta=delta, fee=fee
                )
                for (seat, sat), delta in zip(seats, deltas, strict=True)
            ],
        )
        request = data_pb2.SettleRequest(host=self.host, settlements=[settlement])
        if cut is not None:
            self.cut(self.bank.settle, request, cut)
        reply = self.call(self.bank.settle, request, data_pb2.SettleReply)
        (result,) = reply.results
        poor = any(sat.stake + d < 0 for (_, sat), d in zip(seats, deltas, strict=True))
        if poor:
            assert result.refusal.code == "NOT_ENOUGH"
            return
        assert not result.HasField("refusal") and (cut is not None or not result.repeated)
        for (_, sat), delta in zip(seats, deltas, strict=True):
            sat.stake += delta
        table.pot += pot
        if pot > 0:
            losses = [(sat, -d) for (_, sat), d in zip(seats, deltas, strict=True) if d < 0]
            self.pay_in(table, pot, losses)
        if not table.pot:
            table.paid = {}
        self.settled.append(settlement)

    def pay_in(self, table: Table, pot: int, losses: list[tuple[Sat, int]]) -> None:
        """By largest remainder, the elder sitting first on a tie."""
        total = sum(loss for _, loss in losses)
        parts = {sat.id: pot * loss // total for sat, loss in losses}
        order = sorted(losses, key=lambda one: (-(pot * one[1] % total), one[0].id))
        for sat, _ in order[: pot - sum(parts.values())]:
            parts[sat.id] += 1
        for sat, _ in losses:
            if parts[sat.id]:
                table.paid[sat.player] = table.paid.get(sat.player, 0) + parts[sat.id]

    @precondition(lambda self: self.settled)
    @rule(data=st.data())
    def settle_again(self, data: st.DataObject) -> None:
        settlement = data.draw(st.sampled_from(self.settled))
        changed = data_pb2.Settlement()
        changed.CopyFrom(settlement)
        changed.pot_change += 1
        request = data_pb2.SettleRequest(host=self.host, settlements=[settlement, changed])
        reply = self.call(self.bank.settle, request, data_pb2.SettleReply)
        assert reply.results[0].repeated
        assert reply.results[1].refusal.code == "OP_REUSED"

    @invariant()
    def every_wallet_is_as_in_the_model(self) -> None:
        async def look() -> None:
            for player, coins in self.wallet.items():
                reply = await self.bank.get_wallet(data_pb2.GetWalletRequest(player=player))
                stakes = sum(
                    sat.stake
                    for table in self.tables
                    for sat in table.seats.values()
                    if sat.player == player
                )
                assert (reply.wallet.coin, reply.wallet.escrow) == (coins, stakes)

        self.runner.run(look())

    def teardown(self) -> None:
        async def check() -> None:
            found = await self.server.services.office.check_ledger()
            assert (found.sum, found.unbalanced, found.mismatched) == (0, 0, 0)
            await self.lane.drain()

        self.runner.run(check())


@pytest.fixture
def machine(database_url: str, tmp_path: Any) -> Iterator[type[Machine]]:
    """The machine on a running server; hypothesis is synchronous, so the loop is ours."""
    with asyncio.Runner() as runner:
        free = "127.0.0.1:0"
        server = DataServer(
            DataSettings(
                database_url=database_url,
                data_dir=tmp_path / "data",
                auto_migrate=True,
                data_listen=free,
                data_admin_listen=free,
                data_metrics_listen=free,
            )
        )

        async def start() -> None:
            await server.start()

        runner.run(start())
        Machine.runner, Machine.server = runner, server
        yield Machine
        runner.run(server.stop())


def test_the_ledger_does_what_the_model_does(machine: type[Machine]) -> None:
    run_state_machine_as_test(
        machine,
        settings=settings(
            max_examples=15,
            stateful_step_count=20,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        ),
    )
