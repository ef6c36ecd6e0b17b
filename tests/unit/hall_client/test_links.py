"""Server keys: two may be pinned, and who holds neither is not spoken to."""

from __future__ import annotations

import pytest

from hall_client import ConnectionFailed, HallClient
from hall_client.backoff import Backoff
from hall_client.channels import ChannelPool
from hall_client.link_grpc import GrpcLink
from hall_client.link_ws import WsLink
from hall_client.links import Pins, is_address, make_link
from paiju.wire.server_keys import ServerKeys, key_id
from tests.unit.hall_client.fake_hall import KEYS, FakeHall

OTHER = ServerKeys.generate().public[0]


@pytest.mark.parametrize("pinned", [(OTHER, KEYS.public[0]), (KEYS.public[0], OTHER)])
async def test_either_pinned_key_will_do(hall: FakeHall, pinned: tuple[bytes, ...]) -> None:
    backoff = Backoff(first_s=0.01, longest_s=0.05)
    addresses = await hall.start(gateways=2)
    async with HallClient(addresses, server_keys=pinned, backoff=backoff) as client:
        await client.guest(b"a" * 32)
        assert (await client.wallet()).coin == 500


async def test_a_hall_without_a_pinned_key_gets_no_word(hall: FakeHall) -> None:
    client = HallClient(
        await hall.start(),
        server_keys=[OTHER],
        backoff=Backoff(first_s=0.01, longest_s=0.05),
        connect_timeout_s=0.5,
    )
    with pytest.raises(ConnectionFailed):
        await client.connect()
    assert hall.handled == []


def test_each_address_goes_through_all_keys() -> None:
    pins = Pins([OTHER, KEYS.public[0]])
    seen = []
    for _ in range(3):
        for address in ("a", "b"):
            opening = pins.channel(address).handshake()
            seen.append((address, opening[6:14]))
            pins.failed(address)
    first, second = key_id(OTHER), key_id(KEYS.public[0])
    assert seen == [
        ("a", first), ("b", first), ("a", second), ("b", second), ("a", first), ("b", first),
    ]  # fmt: skip
    with pytest.raises(ValueError):
        Pins([])


async def test_the_address_says_which_edge() -> None:
    async with ChannelPool() as pool:
        for address, kind in (
            ("127.0.0.1:1", GrpcLink),
            ("grpc://127.0.0.1:1", GrpcLink),
            ("grpcs://127.0.0.1:1", GrpcLink),
            ("ws://127.0.0.1:1", WsLink),
            ("wss://127.0.0.1:1", WsLink),
        ):
            link = make_link(address, pool)
            assert isinstance(link, kind)
            await link.close()


@pytest.mark.parametrize(
    ("address", "good"),
    [
        ("127.0.0.1:7700", True),
        ("grpc://hall.example:7700", True),
        ("grpcs://hall.example:7700", True),
        ("grpcs://hall.example", False),
        ("[::1]:7700", True),
        ("ws://127.0.0.1:7710", True),
        ("wss://hall.example/play", True),
        ("foo bar", False),
        ("foo", False),
        ("127.0.0.1:99999", False),
        ("127.0.0.1:0", False),
        ("ws://127.0.0.1:99999", False),
        (":7700", False),
        ("", False),
    ],
)
def test_the_form_of_an_address(address: str, good: bool) -> None:
    assert is_address(address) is good
