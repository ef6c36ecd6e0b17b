"""Both edges with the real seal: play through them, and every attack ends in its own counter."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable

import pytest
from picows import WSCloseCode, WSMsgType, ws_connect

from game_server.gateway import ws_edge
from game_server.gateway.limits import Limits
from game_server.gateway.origins import Origins, Tokens, place
from hall_client.link import Link, LinkLost
from hall_client.link_grpc import GrpcLink
from hall_client.link_ws import WsLink
from hall_client.links import ChannelPool
from paiju.wire.records import Sealer
from paiju.wire.sealed import Channel, ClientChannel, ServerChannel
from paiju.wire.server_keys import ServerKeys
from paiju.wire.v1 import data_pb2, hall_pb2

from .conftest import Client, World, until

KEYS = ServerKeys.generate()


@pytest.fixture
def channel() -> Callable[[], Channel]:
    return lambda: ServerChannel(KEYS)


class Hall:
    """A gateway with both edges, and clients on the edge under test."""

    def __init__(self, world: World, edge: str, ws_address: str) -> None:
        self.world = world
        self.edge = edge
        self.pool = ChannelPool()
        self.ws_address = ws_address
        self.links: list[Link] = []

    def reasons(self) -> dict[str, int]:
        return self.world.gateway.metrics.closes_by_reason

    async def client(self, channel: Channel | None = None) -> SealedClient:
        link: Link
        if self.edge == "ws":
            link = WsLink(f"ws://{self.ws_address}")
        else:
            link = GrpcLink(self.world.address, self.pool)
        await link.open()
        self.links.append(link)
        client = SealedClient(link, channel or ClientChannel(server_key=KEYS.public[0]))
        self.world.tasks.append(asyncio.create_task(client.read()))
        return client


class SealedClient(Client):
    def __init__(self, link: Link, channel: Channel) -> None:
        super().__init__(link.write, channel)
        self.link = link
        self.stop = link.cut
        self.last = b""

    async def read(self) -> None:
        try:
            while (frame := await self.link.read()) is not None:
                self.last = frame
                self.took(frame)
        except LinkLost:
            pass
        self.ended = True


@pytest.fixture(params=["grpc", "ws"])
async def hall(world: World, request: pytest.FixtureRequest) -> AsyncIterator[Hall]:
    await world.serve()
    server = await ws_edge.serve(world.gateway, "127.0.0.1:0")
    made = Hall(world, request.param, f"127.0.0.1:{ws_edge.port_of(server)}")
    yield made
    for link in made.links:
        link.cut()
        await link.close()
    await made.pool.close()
    server.close()


async def test_a_full_server_names_another_of_the_same_edge(hall: Hall) -> None:
    """A browser is told of a WebSocket, and by TLS only where it came by TLS."""
    hall.world.data.elsewhere = ["10.0.0.7:7700"]
    hall.world.data.elsewhere_web = ["ws://10.0.0.7:7710", "wss://10.0.0.7:7720"]
    hall.world.gateway._quota = 1
    await (await hall.client()).guest()
    await until(lambda: hall.world.gateway._elsewhere._web)
    for _ in range(2):
        refusal = (await (await hall.client()).hello()).refusal
        assert refusal.code == "SERVER_FULL"
        wanted = "ws://10.0.0.7:7710" if hall.edge == "ws" else "10.0.0.7:7700"
        assert refusal.params["elsewhere"] == wanted


async def test_a_guest_plays_through_the_seal(hall: Hall) -> None:
    client = await hall.client()
    await client.guest()
    table = await client.join()
    answer = await client.ask(act=hall_pb2.Act(table=table, action="pass"))
    assert answer.acted.seq == 2
    await until(lambda: client.steps() == [2])
    assert len(client.last) in (256, 1024), "what travels is a padded record"
    client.stop()
    await until(lambda: hall.world.gateway.connections == 0)


# ---- attacks: (what is sent instead of the next frame, the reason it is counted under) -------

Attack = Callable[[ClientChannel, bytes], bytes]


def _genuine(channel: ClientChannel) -> bytes:
    ping = hall_pb2.ClientFrame(commands=[hall_pb2.Command(id=99, ping=hall_pb2.Ping())])
    return channel.seal(ping.SerializeToString(), 0.0)


def _flipped(position: int) -> Attack:
    def attack(channel: ClientChannel, _: bytes) -> bytes:
        frame = bytearray(_genuine(channel))
        frame[position] ^= 0x10
        return bytes(frame)

    return attack


def _dropped(channel: ClientChannel, _: bytes) -> bytes:
    _genuine(channel)
    return _genuine(channel)


def _spliced(channel: ClientChannel, _: bytes) -> bytes:
    other, server = ClientChannel(server_key=KEYS.public[0]), ServerChannel(KEYS)
    server.receive(other.handshake(), 0.0)
    other.receive(server.handshake(), 0.0)
    while other._sealer._counter < channel._sealer._counter:  # type: ignore[union-attr]
        _genuine(other)
    return _genuine(other)


ATTACKS: dict[str, tuple[Attack, str]] = {
    "kind": (_flipped(0), "seal_not_sealed"),
    "generation": (_flipped(3), "seal_early_key"),
    "counter": (_flipped(11), "seal_gap"),
    "body": (_flipped(40), "seal_forged"),
    "tag": (_flipped(255), "seal_forged"),
    "replay": (lambda channel, last: last, "seal_replayed"),
    "drop": (_dropped, "seal_gap"),
    "truncate": (lambda channel, _: _genuine(channel)[:200], "seal_forged"),
    "stump": (lambda channel, _: _genuine(channel)[:20], "seal_truncated"),
    "empty": (lambda channel, _: b"", "seal_not_sealed"),
    "splice": (_spliced, "seal_forged"),
    "plain": (lambda channel, _: b"\x0a\x02\x08\x01", "seal_not_sealed"),
    "second handshake": (
        lambda channel, _: ClientChannel(server_key=KEYS.public[0]).handshake(),
        "seal_not_sealed",
    ),
}


@pytest.mark.parametrize("name", ATTACKS)
async def test_an_attack_ends_that_connection_and_no_other(hall: Hall, name: str) -> None:
    attack, reason = ATTACKS[name]
    other = await hall.client()
    await other.guest(b"o" * 32)
    client = await hall.client()
    session = await client.guest()
    assert isinstance(client.channel, ClientChannel)
    last = _genuine(client.channel)
    await client.put_frame(last)
    await client.answer(99)

    frame = attack(client.channel, last)
    begun = time.monotonic()
    await client.put_frame(frame)
    await until(lambda: hall.reasons().get(reason) == 1, within_s=1.0)
    assert time.monotonic() - begun < 0.1
    await until(lambda: client.ended)
    assert client.notices() == [], "whoever breaks the seal gets no word"
    (signal,) = await until(lambda: hall.world.data.signals)
    assert (signal.source, signal.kind, signal.detail) == (
        data_pb2.SIGNAL_GATEWAY, "bad_seal", reason,
    )  # fmt: skip
    assert signal.player == session.profile.player
    assert signal.session_epoch == session.session_epoch
    assert (await other.ask(ping=hall_pb2.Ping(nonce=3))).pong.nonce == 3

    # The player himself, whose connection was attacked, comes back by his ticket.
    again = await hall.client()
    await again.hello()
    resume = hall_pb2.Resume(ticket=session.ticket, connection=session.connection + 1)
    assert (await again.ask(resume=resume)).session.profile.player == session.profile.player


async def test_reflection(hall: Hall) -> None:
    client = await hall.client()
    await client.hello()
    await client.put_frame(client.last)
    # The gateway's first record has counter 0, which it has had from us.
    await until(lambda: hall.reasons().get("seal_replayed") == 1)


async def test_the_old_key_after_a_change(hall: Hall) -> None:
    client = await hall.client()
    assert isinstance(client.channel, ClientChannel)
    await client.hello()  # the first record under the first key
    sealer = client.channel._sealer
    assert sealer is not None
    sealer._limit = 2
    old = Sealer(sealer._key, now=0.0)
    assert (await client.ask(ping=hall_pb2.Ping(nonce=5))).pong.nonce == 5
    assert client.channel.generation == 1
    assert (await client.ask(ping=hall_pb2.Ping(nonce=6))).pong.nonce == 6
    old._counter = sealer._counter
    await client.put_frame(old.seal(b"", 0.0))
    await until(lambda: hall.reasons().get("seal_old_key") == 1)


@pytest.mark.parametrize(
    ("opening", "reason"),
    [
        (lambda frame: frame[:1] + b"\x00" + frame[2:], "seal_version"),
        (lambda frame: frame[:2] + b"\x00\x00" + frame[4:], "seal_handshake"),
        (lambda frame: frame[:6] + bytes(8) + frame[14:], "seal_unknown_key"),
        (lambda frame: frame[:-1], "seal_truncated"),
        (lambda frame: b"\x07" + frame[1:], "seal_not_sealed"),
    ],
)
async def test_a_handshake_that_was_tampered_with(
    hall: Hall, opening: Callable[[bytes], bytes], reason: str
) -> None:
    channel = ClientChannel(server_key=KEYS.public[0])
    client = await hall.client(channel)
    await client.put_frame(opening(channel.handshake()))
    await until(lambda: client.ended)
    assert hall.reasons() == {reason: 1}
    assert not channel.ready


async def test_garbage_inside_the_seal_is_answered_before_the_end(hall: Hall) -> None:
    client = await hall.client()
    await client.hello()
    await client.put(b"\xff" * 20)
    await until(lambda: client.ended)
    assert client.notices() == ["MALFORMED"]
    assert hall.reasons() == {"garbage": 1}


async def test_a_clients_report_about_itself_names_its_own_session_only(hall: Hall) -> None:
    client = await hall.client()
    session = await client.guest()
    report = hall_pb2.Report(kind="vault", detail="wallet")
    assert (await client.ask(report=report)).HasField("done")
    (signal,) = hall.world.data.signals
    assert (signal.source, signal.kind, signal.detail) == (
        data_pb2.SIGNAL_CLIENT, "vault", "wallet",
    )  # fmt: skip
    assert signal.player == session.profile.player
    assert signal.session_epoch == session.session_epoch
    report.player = 4711
    assert (await client.ask(report=report)).refusal.code == "BAD_REPORT"
    assert len(hall.world.data.signals) == 1


class TestDeadline:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(handshake_s=0.05)

    async def test_who_does_not_shake_hands_is_closed(self, hall: Hall) -> None:
        client = await hall.client()
        await until(lambda: client.ended)
        assert hall.reasons() == {"handshake_timeout": 1}


class TestLimits:
    @pytest.fixture
    def limits(self) -> Limits:
        return Limits(
            place_burst=3, place_per_s=0.001, frames_burst=6, frames_per_s=0.001, account_burst=1,
            account_per_s=0.5,
        )  # fmt: skip

    async def test_of_handshakes_from_one_place(self, hall: Hall) -> None:
        for _ in range(3):
            await (await hall.client()).hello()
        late = await hall.client()
        await until(lambda: late.ended)
        assert hall.reasons() == {"too_many_handshakes": 1}

    async def test_of_frames_on_one_connection(self, hall: Hall) -> None:
        client = await hall.client()
        await client.hello()  # handshake and hello: two frames
        for number in range(5):
            await client.put(b"") if number == 4 else await client.ask(ping=hall_pb2.Ping())
        await until(lambda: client.ended)
        assert hall.reasons() == {"too_many_frames": 1}

    async def test_of_sessions_that_one_account_opens(self, hall: Hall) -> None:
        first = await hall.client()
        session = await first.guest()
        second = await hall.client()
        await second.hello()
        for number, code in ((1, ""), (2, "ALREADY_LOGGED_IN")):
            resume = hall_pb2.Resume(ticket=session.ticket, connection=session.connection + number)
            assert (await second.ask(resume=resume)).refusal.code == code
        third = await hall.client()
        await third.hello()
        resume = hall_pb2.Resume(ticket=session.ticket, connection=session.connection + 3)
        answer = await third.ask(resume=resume)
        assert answer.refusal.code == "TOO_FAST" and answer.refusal.retry_after_ms > 1000


@pytest.mark.parametrize("hall", ["ws"], indirect=True)
class TestWebSocketOnly:
    async def test_text_is_no_frame(self, hall: Hall) -> None:
        client = await hall.client()
        await client.hello()
        assert isinstance(client.link, WsLink) and client.link._transport is not None
        client.link._transport.send(WSMsgType.TEXT, b"hello")
        await until(lambda: client.ended)
        assert hall.reasons() == {"not_binary": 1}

    async def test_nobody_on_the_way_can_get_a_player_frozen(self, hall: Hall) -> None:
        """A text message, put into somebody's WebSocket outside of his seal, counted as his
        forgery: twenty of them were a freeze of a day. Only what was inside a seal is his doing.
        """
        client = await hall.client()
        await client.guest()
        assert isinstance(client.link, WsLink) and client.link._transport is not None
        client.link._transport.send(WSMsgType.TEXT, b"from somebody on the way")
        (signal,) = await until(lambda: hall.world.data.signals)
        assert (signal.kind, signal.detail) == ("bad_seal", "not_binary")

    async def test_a_fragment_is_no_frame(self, hall: Hall) -> None:
        client = await hall.client()
        assert isinstance(client.link, WsLink) and client.link._transport is not None
        client.link._transport.send(WSMsgType.BINARY, b"hel", fin=False)
        await until(lambda: client.ended)
        assert hall.reasons() == {"not_binary": 1}

    async def test_a_frame_above_the_edges_limit_ends_the_connection(self, hall: Hall) -> None:
        client = await hall.client()
        await client.hello()
        await client.put_frame(bytes(ws_edge.MAX_FRAME_BYTES + 1))
        await until(lambda: client.ended)
        await until(lambda: hall.world.gateway.connections == 0)

    async def test_another_path_is_not_served(self, hall: Hall) -> None:
        link = WsLink(f"ws://{hall.ws_address}/elsewhere")
        with pytest.raises(LinkLost, match="404"):
            await link.open()
        assert hall.world.gateway.connections == 0

    async def test_a_full_gateway_says_try_again_later(self, hall: Hall) -> None:
        hall.world.gateway._quota = -200
        client = await hall.client()
        await until(lambda: client.ended)
        assert isinstance(client.link, WsLink) and client.link._transport is not None
        received = client.link._transport.close_handshake.recv
        assert received is not None and received.code == WSCloseCode.TRY_AGAIN_LATER

    async def test_where_a_proxy_says_the_player_comes_from(self, hall: Hall) -> None:
        hall.world.gateway._origins = Origins(["127.0.0.0/8"])
        seen: list[str] = []
        connect = hall.world.gateway.connect

        def spy(peer: str, forwarded: str = "", *, edge: str = "") -> object:
            made = connect(peer, forwarded, edge=edge)
            assert made is not None
            seen.append(made.session.origin.address)
            return made

        hall.world.gateway.connect = spy  # type: ignore[assignment,method-assign]
        link = WsLink("")
        headers = {"X-Forwarded-For": "6.6.6.6, 203.0.113.9"}
        transport, _ = await ws_connect(
            lambda: link, f"ws://{hall.ws_address}", extra_headers=headers
        )
        await until(lambda: seen)
        assert seen == ["203.0.113.9"], "what is further left was written by the client"
        transport.disconnect()


def test_the_address_behind_proxies() -> None:
    origins = Origins(["10.0.0.0/8", "192.0.2.1"])
    for peer, forwarded, address in (
        ("198.51.100.1", "6.6.6.6", "198.51.100.1"),
        ("10.1.1.1", "", "10.1.1.1"),
        ("10.1.1.1", "198.51.100.1", "198.51.100.1"),
        ("192.0.2.1", "6.6.6.6, 198.51.100.1, 10.2.2.2", "198.51.100.1"),
        ("10.1.1.1", "6.6.6.6, nonsense", "10.1.1.1"),
        ("unix:", "6.6.6.6", "unix:"),
    ):
        assert origins.address(peer, forwarded) == address
    with pytest.raises(ValueError):
        Origins(["everywhere"])


def test_a_place_is_a_prefix() -> None:
    assert place("198.51.100.7") == place("198.51.100.200") == place("::ffff:198.51.100.9")
    assert place("198.51.101.7") != place("198.51.100.7")
    assert place("2001:db8:1:2::1") == place("2001:db8:1:ff::9")
    assert place("2001:db8:1:2::1") != place("2001:db8:2::1")
    assert place("test") == "test"


def test_tokens_are_kept_for_a_bounded_number_of_places() -> None:
    tokens: Tokens[int] = Tokens(burst=2, per_s=1)
    assert [tokens.take(1, 0.0) for _ in range(3)] == [True, True, False]
    assert tokens.wait_ms(1, 0.0) > 900
    assert tokens.take(1, 1.0)
    for key in range(30_000):
        tokens.take(key, 2.0)
    assert len(tokens) == 20_000
