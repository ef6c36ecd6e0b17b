"""Renewing the session before its ticket runs out."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

from hall_client.errors import HallError, SessionEnded
from paiju.service.ids import now_us

if TYPE_CHECKING:
    from hall_client.client import HallClient

LOOK_EVERY_S = 15.0
MARGIN_S = 60.0
"""Renew when the ticket has less than this, or a third of the life it had, left."""


async def renew_in_time(client: HallClient) -> None:
    """For ever, while the client lives. A renewal that fails is tried at the next look."""
    seen, life_us = "", 0
    while True:
        await asyncio.sleep(LOOK_EVERY_S)
        credentials = client.core.credentials
        if not credentials.open or not credentials.refresh_token or not client.connected:
            continue
        left_us = credentials.ticket_expires_us - now_us()
        if credentials.ticket != seen:
            seen, life_us = credentials.ticket, left_us
        if left_us > max(MARGIN_S * 1e6, life_us / 3):
            continue
        try:
            with contextlib.suppress(TimeoutError):
                await client.renew()
        except SessionEnded:
            return
        except HallError:
            continue
