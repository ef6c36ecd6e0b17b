"""Two ends that have shaken hands, for tests."""

from __future__ import annotations

import pytest

from paiju.wire.records import RECORDS_PER_KEY, BrokenSeal
from paiju.wire.sealed import Channel, ClientChannel, ServerChannel
from paiju.wire.server_keys import ServerKeys

KEYS = ServerKeys.generate()


def pair(*, records_per_key: int = RECORDS_PER_KEY) -> tuple[ClientChannel, ServerChannel]:
    client = ClientChannel(server_key=KEYS.public[0], records_per_key=records_per_key)
    server = ServerChannel(KEYS, records_per_key=records_per_key)
    assert server.receive(client.handshake(), 0.0) is None
    assert client.receive(server.handshake(), 0.0) is None
    assert client.ready and server.ready
    return client, server


def refuses(end: Channel, frame: bytes) -> str:
    """Why the end does not take the frame; it must take nothing afterwards."""
    with pytest.raises(BrokenSeal) as first:
        end.receive(frame, 0.0)
    with pytest.raises(BrokenSeal):
        end.receive(frame, 0.0)
    return first.value.reason
