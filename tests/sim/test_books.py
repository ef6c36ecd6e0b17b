"""The ledger's database in memory answers like the product's own on SQLite."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from data_server.server import DataServer
from data_server.services import Services
from data_server.settings import DataSettings
from paiju.service import ids
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2
from tests.sim.books import HOUSE, Books
from tests.sim.hall import COINS

STEPS = 120
HOST = "h"


async def _services(folder: Path) -> tuple[DataServer, Services]:
    settings = DataSettings(data_dir=folder, start_grant=COINS, relief_below=0, house_shards=1)
    server = DataServer(settings)
    await server._prepare_schema()
    services = await Services.build(
        settings,
        database=server.database,
        registry=server.registry,
        followers=server.followers,
        passwords=server.passwords,
        tickets=server.tickets,
        may_play=lambda tx, player, now: None,
        metrics=server.metrics,
        package_keys=None,
        clock=ids.now_us,
    )
    return server, services


class Twins:
    """The same calls to both; what each calls a sitting or a player is kept side by side."""

    def __init__(self, services: Services, seed: int) -> None:
        self.random = Random(seed)
        self.product = services
        self.model = Books(wall_us=ids.now_us)
        self.players: list[tuple[int, int]] = []
        self.sittings: list[tuple[int, int, int, int, int]] = []  # both, table, seat, player
        self.epoch = 1
        self.asked: list[tuple[str, Any, Any]] = []
        self.hands: list[tuple[Any, Any]] = []

    async def open(self, number: int) -> None:
        request = data_pb2.OpenGuestRequest(
            op=ids.new_op(), device_secret=b"%032d" % number, origin=data_pb2.Origin(server="s")
        )
        session = (await self.product.accounts.open_guest(request)).session
        player = 100 + number
        self.model.open_wallet(player, COINS)
        self.model.sessions[player] = session.session_epoch
        self.players.append((player, session.profile.player))

    async def both(
        self, model: Callable[[], Any], product: Callable[[], Awaitable[Any]]
    ) -> tuple[Any, Any]:
        try:
            ours: Any = model()
        except Refused as refused:
            ours = refused.code
        try:
            theirs = await product()
            if theirs.HasField("refusal"):
                theirs = theirs.refusal.code
        except Refused as refused:
            theirs = refused.code
        if isinstance(ours, str) or isinstance(theirs, str):
            assert ours == theirs
        return ours, theirs

    async def call(self, kind: str, ours: Any, theirs: Any) -> tuple[Any, Any]:
        """An operation, under one id for both."""
        name = {"SitDown": "sit_down", "TopUp": "top_up", "StandUp": "stand_up"}[kind]
        work = getattr(self.model, name)
        self.asked.append((kind, ours, theirs))
        replies = await self.both(
            lambda: self.model.once(kind, ours, work),
            lambda: getattr(self.product.bank, name)(theirs),
        )
        if not isinstance(replies[0], str):
            assert replies[0].wallet == replies[1].wallet
            fields = [f for f in ("stake", "returned") if f in ours.DESCRIPTOR.fields_by_name]
            assert [getattr(replies[0], f) for f in fields] == [
                getattr(replies[1], f) for f in fields
            ]
        return replies

    def owner(self) -> data_pb2.HostEpoch:
        late = self.random.random() < 0.1
        return data_pb2.HostEpoch(host=HOST, epoch=max(1, self.epoch - late))

    async def step(self) -> None:
        draw = self.random
        work = draw.choice(
            [self.sit, self.sit, self.top_up, self.stand, self.settle, self.settle, self.repeat]
        )
        if draw.random() < 0.05:
            self.epoch += 1
            self.model.begin_epoch(HOST, self.epoch)
            request = data_pb2.RegisterHostRequest(
                host=data_pb2.HostEpoch(host=HOST, epoch=self.epoch), server="s"
            )
            self.epoch = (await self.product.registry.register_host(request)).epoch
            assert self.epoch == self.model.fence[HOST]
        await work()

    async def sit(self) -> None:
        draw, op, owner = self.random, ids.new_op(), self.owner()
        player, seat, table = draw.randrange(4), draw.randrange(3), draw.choice((7, 8))
        request = data_pb2.SitDownRequest(
            op=op,
            host=owner,
            table=common_pb2.TableRef(room="r", table=table),
            seat=seat,
            currency=common_pb2.COIN,
            amount=draw.choice((0, 50, 100, 700)),
            rule_set="g",
            session_epoch=self.model.sessions[100] + (draw.random() < 0.1),
        )
        pair = []
        for number in self.players[player]:
            one = data_pb2.SitDownRequest()
            one.CopyFrom(request)
            one.player = number
            pair.append(one)
        ours, theirs = await self.call("SitDown", *pair)
        if not isinstance(ours, str):
            self.sittings.append((ours.sitting, theirs.sitting, table, seat, player))

    async def top_up(self) -> None:
        if self.sittings:
            op, owner, amount = ids.new_op(), self.owner(), self.random.choice((0, 10, 5000))
            await self.call("TopUp", *self._of_sitting(data_pb2.TopUpRequest, op, owner, amount))

    async def stand(self) -> None:
        if self.sittings:
            op, owner = ids.new_op(), self.owner()
            await self.call("StandUp", *self._of_sitting(data_pb2.StandUpRequest, op, owner))

    def _of_sitting(self, kind: Any, op: bytes, owner: Any, amount: int | None = None) -> list[Any]:
        more = {} if amount is None else {"amount": amount}
        sittings = self.random.choice(self.sittings)[:2]
        return [kind(op=op, host=owner, sitting=sitting, **more) for sitting in sittings]

    async def repeat(self) -> None:
        if self.asked:
            await self.call(*self.random.choice(self.asked))

    async def settle(self) -> None:
        """A hand of two sittings: as it should be, or not; new, again, or with other amounts."""
        draw = self.random
        if self.hands and draw.random() < 0.3:
            hands = draw.choice(self.hands)
        else:
            table = draw.choice((7, 8))
            there = [sitting for sitting in self.sittings if sitting[2] == table][-4:]
            if len(there) < 2:
                return
            hands = self._hand(draw.sample(there, 2))
            self.hands.append(hands)
        owner = self.owner()
        ours, theirs = await self.both(
            lambda: self.model.settle(data_pb2.SettleRequest(host=owner, settlements=[hands[0]])),
            lambda: self.product.bank.settle(
                data_pb2.SettleRequest(host=owner, settlements=[hands[1]])
            ),
        )
        if not isinstance(ours, str):
            (one,), (other,) = ours.results, theirs.results
            assert (one.refusal.code, one.repeated) == (other.refusal.code, other.repeated)

    def _hand(self, sittings: list[tuple[int, int, int, int, int]]) -> tuple[Any, Any]:
        draw = self.random
        amount, fee = draw.choice((0, 10, 60)), draw.choice((0, 1))
        deltas = [amount - fee, -amount - (draw.random() < 0.1)]
        hand, table = draw.randrange(1, 12), sittings[0][2]
        made = []
        for which in (0, 1):
            settlement = data_pb2.Settlement(
                table=common_pb2.TableRef(room="r", table=table),
                hand=hand,
                rule_set="g",
                currency=common_pb2.COIN,
                result="finished",
                record=b"{}",
                game="g",
            )
            for sitting, delta, paid in zip(sittings, deltas, (fee, 0), strict=True):
                settlement.seats.add(
                    seat=sitting[3],
                    sitting=sitting[which],
                    player=self.players[sitting[4]][which],
                    delta=delta,
                    fee=paid,
                )
            made.append(settlement)
        return made[0], made[1]

    async def compare(self) -> None:
        for ours, theirs in self.players:
            request = data_pb2.GetWalletRequest(player=theirs)
            reply = await self.product.bank.get_wallet(request)
            assert self.model.wallet(ours) == reply.wallet
        assert sum(self.model.balances.values()) == 0
        assert self.model.balances[HOUSE] >= 0


@pytest.mark.parametrize("seed", range(3))
async def test_whatever_is_asked_both_say_the_same(tmp_path: Path, seed: int) -> None:
    server, services = await _services(tmp_path)
    twins = Twins(services, seed)
    twins.model.hold(data_pb2.HostEpoch(host=HOST, epoch=1))
    for number in range(4):
        await twins.open(number)
    for _ in range(STEPS):
        await twins.step()
    await twins.compare()
    assert len(twins.sittings) > 5 and twins.model.settled
    server.passwords.close()
    await server.database.close()
