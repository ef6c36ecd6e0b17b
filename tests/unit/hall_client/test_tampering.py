"""What a client does about a kept value that was changed: report, refresh, go on."""

from __future__ import annotations

from hall_client.core import Core
from hall_client.events import Tampered
from paiju.wire.v1 import hall_pb2

from .fake_hall import FakeHall, eventually
from .test_client import client
from .test_core import give, guest, opened, sent, session


def flip(core: Core, slot: str) -> None:
    kept = core.vault._kept[slot]
    kept.sealed = kept.sealed[:-1] + bytes([kept.sealed[-1] ^ 1])


def kinds(commands: list[hall_pb2.Command]) -> list[str]:
    return [command.WhichOneof("body") or "" for command in commands]


def test_a_changed_wallet_is_reported_and_asked_for_again() -> None:
    core = opened()
    give(core, wallet=hall_pb2.Wallet(coin=700))
    assert core.wallet.coin == 700
    flip(core, "wallet")
    assert core.wallet.coin == 0, "never the edited value"
    assert core.take() == [Tampered("wallet")]
    report, again = sent(core)
    assert (report.report.kind, report.report.detail, report.report.player) == (
        "vault",
        "wallet",
        0,
    )
    assert len(report.op) == 16
    give(core, answer=hall_pb2.Answer(id=report.id, done=hall_pb2.Done()))
    give(core, answer=hall_pb2.Answer(id=again.id, wallet=hall_pb2.Wallet(coin=700)))
    assert core.wallet.coin == 700
    assert sent(core) == [], "reported once"


def test_a_report_outlives_the_connection() -> None:
    core = opened()
    give(core, wallet=hall_pb2.Wallet(coin=700))
    flip(core, "wallet")
    assert core.wallet.coin == 0
    report = sent(core)[0]
    core.disconnected(1.0, "gone")
    core.connected(1.0)
    hello, resume = sent(core, 1.0)
    give(core, 1.0, answer=hall_pb2.Answer(id=hello.id, welcome=hall_pb2.Welcome(major=1)))
    give(core, 1.0, answer=hall_pb2.Answer(id=resume.id, session=session(2)))
    again = next(c for c in sent(core, 1.0) if c.WhichOneof("body") == "report")
    assert again.op == report.op


def test_a_changed_ticket_opens_the_guests_account_again() -> None:
    core = opened()
    flip(core, "ticket")
    core.disconnected(1.0, "gone")
    core.connected(1.0)
    hello, opener = sent(core, 1.0)
    give(core, 1.0, answer=hall_pb2.Answer(id=hello.id, welcome=hall_pb2.Welcome(major=1)))
    assert opener.WhichOneof("body") == "open_guest"
    assert opener.open_guest == guest().open_guest
    give(core, 1.0, answer=hall_pb2.Answer(id=opener.id, session=session()))
    assert kinds(sent(core, 1.0)) == ["report"]
    assert core.credentials.ticket == "t"


def test_a_changed_refresh_token_is_not_sent() -> None:
    core = opened()
    flip(core, "refresh_token")
    core.disconnected(1.0, "gone")
    core.connected(1.0)
    _, resume = sent(core, 1.0)
    assert resume.resume.ticket == "t" and resume.resume.refresh_token == ""


async def test_the_report_goes_out_at_once_and_play_goes_on(hall: FakeHall) -> None:
    async with client(await hall.start()) as player:
        await player.guest(b"a" * 32)
        assert (await player.wallet()).coin == 500
        flip(player.core, "wallet")
        assert player.last_wallet.coin == 0
        await eventually(lambda: "report" in [kind for kind, _ in hall.handled], within_s=1.0)
        await eventually(lambda: player.last_wallet.coin == 500, within_s=1.0)
        table = await player.quick_join("toy")
        assert table.seat == 0
