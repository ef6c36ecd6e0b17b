"""A fake hall for each test."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.unit.hall_client.fake_hall import FakeHall


@pytest.fixture
async def hall() -> AsyncIterator[FakeHall]:
    fake = FakeHall()
    yield fake
    await fake.stop()
