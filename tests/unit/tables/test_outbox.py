"""The outbox: in order, repeated until answered, one refused settlement stops nobody."""

from __future__ import annotations

import asyncio

import pytest

from game_server.tables import outbox as outbox_module
from game_server.tables.outbox import Outbox
from paiju.service.refusals import Refused
from paiju.wire.v1 import common_pb2, data_pb2


def _settlement(table: int, hand: int) -> data_pb2.Settlement:
    return data_pb2.Settlement(table=common_pb2.TableRef(table=table), hand=hand)


def _put(box: Outbox, table: int, hand: int) -> None:
    box.expect(table)
    box.put(_settlement(table, hand))


class Ledger:
    def __init__(self, failures: int = 0) -> None:
        self.failures = failures
        self.calls: list[list[tuple[int, int]]] = []
        self.bad: set[tuple[int, int]] = set()
        self.code = "NOT_ZERO_SUM"

    async def settle(self, request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        keys = [(s.table.table, s.hand) for s in request.settlements]
        self.calls.append(keys)
        await asyncio.sleep(0)
        if self.failures:
            self.failures -= 1
            raise Refused("RETRY")
        refused = common_pb2.Refusal(code=self.code)
        return data_pb2.SettleReply(
            results=[
                data_pb2.SettleResult(refusal=refused)
                if key in self.bad
                else data_pb2.SettleResult(entry=1)
                for key in keys
            ]
        )


@pytest.fixture(autouse=True)
def short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outbox_module, "FIRST_PAUSE_S", 0.001)


async def test_everything_is_answered_in_order_though_the_ledger_fails() -> None:
    ledger = Ledger(failures=3)
    box = Outbox(host="h", epoch=1, send=ledger.settle)
    task = asyncio.ensure_future(box.run())
    for hand in range(1, 251):
        _put(box, hand % 7, hand)
    async with asyncio.timeout(10):
        await box.empty()
    answered = [hand for call in ledger.calls[3:] for _, hand in call]
    assert answered == list(range(1, 251))
    assert ledger.calls[0] == ledger.calls[1] == ledger.calls[2] == ledger.calls[3]
    task.cancel()


async def test_a_table_waits_for_its_own_settlements_only() -> None:
    gate = asyncio.Event()

    async def send(request: data_pb2.SettleRequest) -> data_pb2.SettleReply:
        await gate.wait()
        return data_pb2.SettleReply(results=[data_pb2.SettleResult() for _ in request.settlements])

    box = Outbox(host="h", epoch=1, send=send)
    task = asyncio.ensure_future(box.run())
    _put(box, 1, 1)
    waiting = asyncio.ensure_future(box.settled(1))
    async with asyncio.timeout(10):
        await box.settled(2)
    assert not waiting.done()
    gate.set()
    async with asyncio.timeout(10):
        await waiting
    task.cancel()


async def test_a_refused_settlement_is_kept_aside_and_its_table_is_never_cashed_out() -> None:
    ledger, stopped = Ledger(), []
    ledger.bad = {(1, 2)}
    box = Outbox(host="h", epoch=1, send=ledger.settle, on_refused=stopped.append)
    task = asyncio.ensure_future(box.run())
    for table, hand in ((1, 1), (1, 2), (2, 1)):
        _put(box, table, hand)
    waiting = asyncio.ensure_future(box.settled(1))
    async with asyncio.timeout(10):
        await box.settled(2)
        await box.empty()
    assert [(s.hand, code) for s, code in box.refused] == [(2, "NOT_ZERO_SUM")]
    assert stopped == [1]
    assert not waiting.done(), "the loser would leave with what is owed"
    waiting.cancel()
    task.cancel()


async def test_a_settlement_that_is_still_being_written_counts() -> None:
    """The seat of a hand that just ended must not be cashed out before it is booked."""
    ledger = Ledger()
    box = Outbox(host="h", epoch=1, send=ledger.settle)
    task = asyncio.ensure_future(box.run())
    box.expect(1)
    waiting = asyncio.ensure_future(box.settled(1))
    for _ in range(5):
        await asyncio.sleep(0)
    assert not waiting.done()
    box.put(_settlement(1, 1))
    async with asyncio.timeout(10):
        await waiting
    assert ledger.calls == [[(1, 1)]]
    task.cancel()


async def test_a_void_hand_whose_stakes_went_back_already_is_done() -> None:
    """The machine was away for longer than escrow_release_s."""
    ledger = Ledger()
    ledger.code = "NO_SUCH_SITTING"
    ledger.bad = {(1, 1), (1, 2)}
    box = Outbox(host="h", epoch=1, send=ledger.settle)
    task = asyncio.ensure_future(box.run())
    box.expect(1)
    void = _settlement(1, 1)
    void.result = "void"
    box.put(void)
    async with asyncio.timeout(10):
        await box.settled(1)
    assert box.refused == []
    _put(box, 1, 2)  # a hand that somebody has won is another matter
    async with asyncio.timeout(10):
        while not box.refused:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
    assert box.is_stuck(1)
    task.cancel()
