"""1,000 interleavings of an old and a new owner of one journal."""

from __future__ import annotations

import pytest

from tests.sim.fence import interleave
from tests.sim.plants import CarelessWriter
from tests.sim.stage import set_stage

pytestmark = pytest.mark.timeout(1200)  # of a machine that has much else to do


def test_nothing_of_the_old_epoch_is_acknowledged_after_the_takeover() -> None:
    with set_stage():
        wrong = {seed: found for seed in range(1000) if (found := interleave(seed))}
    assert not wrong


def test_an_epoch_that_is_checked_outside_the_transaction_is_found() -> None:
    with set_stage():
        found = next((s for s in range(500) if interleave(s, writer=CarelessWriter)), None)
    assert found is not None
