"""The session core, command by command."""

from __future__ import annotations

from typing import Any

import pytest

from game_server.gateway.commands import RULES
from game_server.gateway.effects import AskData, AskRooms, CheckTicket, Join, ToHost
from game_server.gateway.limits import Limits
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

from .playing import TABLE, Table, notices

BODIES: dict[str, Any] = {
    "hello": hall_pb2.Hello(major=1),
    "ping": hall_pb2.Ping(nonce=4),
    "open_guest": hall_pb2.OpenGuest(device_secret=b"s" * 32),
    "register": hall_pb2.Register(name="anna", password="12345678"),
    "login": hall_pb2.Login(name="anna", password="12345678"),
    "resume": hall_pb2.Resume(ticket="t"),
    "renew": hall_pb2.Renew(refresh_token="r"),
    "logout": hall_pb2.Logout(),
    "change_password": hall_pb2.ChangePassword(old_password="a", new_password="12345678"),
    "list_rooms": hall_pb2.ListRooms(),
    "watch_grid": hall_pb2.WatchGrid(room="doudizhu.novice"),
    "get_package": hall_pb2.GetPackage(package="doudizhu", version="1.0.0"),
    "get_package_file": hall_pb2.GetPackageFile(package="doudizhu", version="1.0.0", path="a"),
    "get_wallet": hall_pb2.GetWallet(),
    "quick_join": hall_pb2.QuickJoin(room="doudizhu.novice"),
    "sit": hall_pb2.Sit(table=TABLE),
    "stand": hall_pb2.Stand(table=TABLE),
    "top_up": hall_pb2.TopUp(table=TABLE, amount=1),
    "ready": hall_pb2.Ready(table=TABLE),
    "act": hall_pb2.Act(table=TABLE, action="pass"),
    "watch": hall_pb2.Watch(table=TABLE),
    "unwatch": hall_pb2.Unwatch(table=TABLE),
    "resync": hall_pb2.Resync(table=TABLE),
    "chat": hall_pb2.Chat(table=TABLE, text="hi"),
    "report": hall_pb2.Report(player=4, kind="cheat"),
    "list_hands": hall_pb2.ListHands(),
    "get_hand": hall_pb2.GetHand(table=1, hand=1),
    "heard": hall_pb2.Heard(penalty=7),
}
OPENERS = {"open_guest", "register", "login", "resume"}
FREE = {"hello", "ping", "list_rooms"}


def test_every_command_of_the_contract_has_a_rule_and_a_body_here() -> None:
    fields = hall_pb2.Command.DESCRIPTOR.oneofs_by_name["body"].fields
    names = {field.name for field in fields}
    assert set(RULES) == names
    assert set(BODIES) == names


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_every_field_of_a_command_has_a_limit(kind: str) -> None:
    assert set(RULES[kind].fields) == set(BODIES[kind].DESCRIPTOR.fields_by_name)
    assert RULES[kind].cost > 0 and RULES[kind].states


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_before_hello_only_hello(kind: str) -> None:
    assert Table().code(**{kind: BODIES[kind]}) == ("" if kind == "hello" else "HELLO_FIRST")


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_before_a_session_only_what_opens_one(kind: str) -> None:
    table = Table()
    table.hello()
    allowed = kind in OPENERS | FREE
    assert table.code(**{kind: BODIES[kind]}) == ("" if allowed else "LOGIN_FIRST")


@pytest.mark.parametrize("kind", sorted(BODIES))
def test_with_a_session_all_but_what_opens_one(kind: str) -> None:
    table = Table().open()
    assert table.code(**{kind: BODIES[kind]}) == ("ALREADY_LOGGED_IN" if kind in OPENERS else "")


@pytest.mark.parametrize("kind", sorted(k for k, rule in RULES.items() if rule.op))
@pytest.mark.parametrize("op", [b"", b"x" * 16, b"\x00" * 16, b"short"])
def test_an_operation_needs_its_id(kind: str, op: bytes) -> None:
    table = Table()
    if kind in OPENERS:
        table.hello()
    else:
        table.open()
    assert table.code(**{kind: BODIES[kind]}, op=op) == "OP_REQUIRED"
    assert not table.effects


LONG = "x" * 10_000


@pytest.mark.parametrize(
    "kind, body, code",
    [
        ("open_guest", {"device_secret": b"short"}, "BAD_SECRET"),
        ("open_guest", {"device_secret": b"s" * 32, "name": "x" * 97}, "BAD_NAME"),
        ("register", {"name": "", "password": "12345678"}, "BAD_NAME"),
        ("register", {"name": "anna", "password": "1234567"}, "BAD_PASSWORD"),
        ("register", {"name": "anna", "password": "1" * 257}, "BAD_PASSWORD"),
        ("login", {"name": "", "password": ""}, "BAD_CREDENTIALS"),
        ("login", {"name": "anna", "password": "1" * 257}, "BAD_CREDENTIALS"),
        ("resume", {"ticket": ""}, "BAD_TICKET"),
        ("resume", {"ticket": LONG}, "BAD_TICKET"),
        ("resume", {"ticket": "t", "cursors": [{}]}, "NO_SUCH_TABLE"),
        ("resume", {"ticket": "t", "cursors": [{"table": TABLE}] * 17}, "TOO_LARGE"),
        ("renew", {"refresh_token": ""}, "BAD_TICKET"),
        ("change_password", {"new_password": "short"}, "BAD_PASSWORD"),
        ("watch_grid", {"room": ""}, "NO_SUCH_ROOM"),
        ("quick_join", {"room": "x" * 65}, "NO_SUCH_ROOM"),
        ("quick_join", {"room": "r", "buy_in": -1}, "BAD_AMOUNT"),
        ("quick_join", {"room": "r", "buy_in": protocol.MAX_AMOUNT + 1}, "BAD_AMOUNT"),
        ("sit", {}, "NO_SUCH_TABLE"),
        ("sit", {"table": TABLE, "seat": 256}, "NO_SUCH_SEAT"),
        ("sit", {"table": TABLE, "buy_in": -1}, "BAD_AMOUNT"),
        ("stand", {"table": {"room": "", "table": 1}}, "NO_SUCH_TABLE"),
        ("top_up", {"table": TABLE, "amount": 0}, "BAD_AMOUNT"),
        ("ready", {"table": TABLE, "contribution": b"x" * 65}, "TOO_LARGE"),
        ("act", {"table": TABLE, "action": "x" * 401}, "TOO_LARGE"),
        ("act", {"action": "pass"}, "NO_SUCH_TABLE"),
        ("chat", {"table": TABLE, "text": ""}, "BAD_CHAT"),
        ("chat", {"table": TABLE, "text": " \n"}, "BAD_CHAT"),
        ("chat", {"table": TABLE, "text": "字" * 201}, "BAD_CHAT"),
        ("watch", {"table": TABLE, "cursor": {"seq": 1}}, "NO_SUCH_TABLE"),
        ("watch_grid", {"room": "r", "shard": 2**20 + 1}, "NO_SUCH_TABLE"),
        ("stand", {"table": {"room": "r", "table": 1, "shard": 2**31}}, "NO_SUCH_TABLE"),
        ("report", {"player": 1, "kind": "cheat", "table": {"room": "r"}}, "NO_SUCH_TABLE"),
        ("report", {"player": 1, "kind": "vault"}, "BAD_REPORT"),
        ("report", {"player": 0, "kind": "cheat"}, "NO_SUCH_PLAYER"),
        ("report", {"player": 1, "kind": "bored"}, "BAD_REPORT"),
        ("report", {"player": 1, "kind": "abuse", "detail": "x" * 501}, "BAD_REPORT"),
    ],
)
def test_sizes_and_ranges(kind: str, body: dict[str, Any], code: str) -> None:
    table = Table()
    if kind in OPENERS:
        table.hello()
    else:
        table.open()
    answer = table.ask(**{kind: body})
    assert answer is not None
    assert answer.refusal.code == code
    assert answer.refusal.text
    assert not table.effects
    assert table.observed[-1] == (kind, code)


def test_the_limits_themselves_are_allowed() -> None:
    table = Table().open()
    assert table.code(act=hall_pb2.Act(table=TABLE, action="x" * 400)) == ""
    assert table.code(chat=hall_pb2.Chat(table=TABLE, text="字" * 200)) == ""
    assert table.code(ready=hall_pb2.Ready(table=TABLE, contribution=b"x" * 64)) == ""


@pytest.mark.parametrize(
    "packet, reason",
    [
        (b"\xff\xff", "garbage"),
        (b"\x0a\x05", "garbage"),
        (b"\x0a" * (protocol.MAX_PACKET_BYTES + 1), "oversize"),
        (hall_pb2.ClientFrame(commands=[hall_pb2.Command(op=b"1")]).SerializeToString(), "no_id"),
        (
            hall_pb2.ClientFrame(
                commands=[hall_pb2.Command(id=1, ping=hall_pb2.Ping())] * 33
            ).SerializeToString(),
            "too_many_commands",
        ),
        (b"\x0a\x06\x08\x01\x6a\x02\xff\xfe", "garbage"),  # no UTF-8
    ],
)
def test_what_breaks_the_format_closes(packet: bytes, reason: str) -> None:
    table = Table().open(locale="zh-CN")
    if reason == "garbage" and packet[:1] == b"\x0a" and len(packet) == 8:
        frame = hall_pb2.ClientFrame(
            commands=[hall_pb2.Command(id=1, act=hall_pb2.Act(action="abc"))]
        )
        packet = frame.SerializeToString().replace(b"abc", b"a\xff\xfe")
    updates = table.raw(packet)
    assert notices(updates) == ["MALFORMED"]
    assert updates[0].notice.text.startswith("无法读取消息")
    assert table.closes() == [reason]
    assert table.packet(table.command(ping=hall_pb2.Ping())) == []


def test_a_command_of_a_newer_minor_is_unsupported() -> None:
    table = Table().open()
    frame = hall_pb2.ClientFrame(commands=[hall_pb2.Command(id=7)]).SerializeToString()
    unknown = b"\x0a\x06\x08\x07\xfa\x06\x01x"  # field 111 of Command
    assert hall_pb2.ClientFrame.FromString(unknown).commands[0].id == 7
    for packet in (frame, unknown):
        (update,) = table.raw(packet)
        assert update.answer.id == 7
        assert update.answer.refusal.code == "UNSUPPORTED"
    assert not table.closes()


def test_another_major_must_upgrade() -> None:
    table = Table()
    answer = table.ask(hello=hall_pb2.Hello(major=2, locale="zh"))
    assert answer is not None
    assert answer.refusal.code == "UPGRADE_REQUIRED"
    assert answer.refusal.text == "客户端版本过旧，需要协议 1。"
    assert table.closes() == ["upgrade"]


def test_an_old_build_must_upgrade() -> None:
    table = Table()
    table.context.minimum_build = 5
    assert table.code(hello=hall_pb2.Hello(major=1, build=4)) == "UPGRADE_REQUIRED"


def test_a_newer_minor_and_unknown_locales_are_welcome() -> None:
    table = Table()
    answer = table.ask(hello=hall_pb2.Hello(major=1, minor=99, locale="fr"))
    assert answer is not None
    assert answer.welcome.max_packet_bytes == protocol.MAX_PACKET_BYTES
    assert answer.welcome.server_time_us == 5_000_000
    assert table.ask(act=BODIES["act"]).refusal.text == "Log in first."  # type: ignore[union-attr]


def test_what_each_command_becomes() -> None:
    table = Table()
    table.hello()
    table.ask(resume=hall_pb2.Resume(ticket="t"))
    assert isinstance(table.last, CheckTicket)
    table = Table().open(epoch=3, connection=8)
    op = table.command().op
    table.ask(act=BODIES["act"], op=op)
    effect = table.last
    assert isinstance(effect, ToHost)
    assert (effect.room, effect.shard) == ("doudizhu.novice", 2)
    command = effect.command
    assert (command.player, command.session_epoch, command.connection) == (9, 3, 8)
    assert (command.name, command.op) == ("Nine", op)
    assert command.act.action == "pass"
    table.ask(quick_join=BODIES["quick_join"])
    assert isinstance(table.last, Join)
    table.ask(list_rooms=BODIES["list_rooms"])
    assert isinstance(table.last, AskRooms)
    table.ask(report=BODIES["report"])
    assert isinstance(table.last, AskData)
    assert table.last.request.reporter == 9


def test_answers_keep_the_id_of_their_command() -> None:
    table = Table().open()
    first = table.command(id=4000, act=BODIES["act"])
    second = table.command(id=4000, stand=BODIES["stand"])  # the same id twice is allowed
    table.packet(first, second)
    one, two = table.effects
    assert isinstance(one, ToHost)
    assert isinstance(two, ToHost)
    (update,) = table.host(ref=two.ref, done=hall_pb2.Done())
    assert (update.answer.id, update.answer.HasField("done")) == (4000, True)
    (update,) = table.host(ref=one.ref, acted=hall_pb2.Acted(hand=1, seq=5))
    assert (update.answer.id, update.answer.acted.seq) == (4000, 5)
    assert table.host(ref=one.ref, done=hall_pb2.Done()) == []


def test_an_empty_or_moved_answer_is_a_retry() -> None:
    table = Table().open()
    table.ask(act=BODIES["act"])
    (update,) = table.host()
    assert update.answer.refusal.code == "RETRY"
    table.ask(act=BODIES["act"])
    (update,) = table.host(moved=host_pb2.Moved(host="h"))
    assert update.answer.refusal.code == "RETRY"


def test_a_refusal_of_the_rules_speaks_the_games_language() -> None:
    table = Table().open(locale="zh")
    asked: list[tuple[str, str, str]] = []

    def sentences(code: str, params: Any, locale: str, game: str) -> str:
        asked.append((code, locale, game))
        return "压不过"

    table.context.sentences = sentences
    table.ask(act=BODIES["act"])
    (update,) = table.host(refusal=common_pb2.Refusal(code="does_not_beat"))
    assert update.answer.refusal.text == "压不过"
    assert asked == [("does_not_beat", "zh", "doudizhu")]


def test_a_notice_of_a_host_gets_its_sentence_and_other_updates_stay_bytes() -> None:
    table = Table().open(locale="zh").watch()
    told = hall_pb2.Update(notice=hall_pb2.Notice(code="SEAT_LOST", table=TABLE))
    table.session.deliver(
        host_pb2.Deliver(players=[9], table=TABLE.table), told.SerializeToString(), table.now
    )
    (update,) = table.drain()
    assert update.notice.text == "你已失去座位。"
    chat = hall_pb2.Update(chat=hall_pb2.ChatLine(text="hi")).SerializeToString()
    table.session.deliver(host_pb2.Deliver(table=TABLE.table), chat, table.now)
    packet, _ = table.session.take(table.now)
    assert packet.endswith(chat)


def test_at_most_four_calls_at_the_data_server() -> None:
    table = Table().open()
    for _ in range(4):
        assert table.code(get_wallet=BODIES["get_wallet"]) == ""
    answer = table.ask(get_wallet=BODIES["get_wallet"])
    assert answer is not None
    assert answer.refusal.code == "TOO_FAST"
    assert answer.refusal.retry_after_ms > 0
    table.run(table.session.answered(table.last.ref, hall_pb2.Wallet(coin=3), table.now))
    assert table.code(get_wallet=BODIES["get_wallet"]) == ""


def test_one_opening_at_a_time() -> None:
    table = Table()
    table.hello()
    assert table.code(login=BODIES["login"]) == ""
    assert table.code(open_guest=BODIES["open_guest"]) == "TOO_FAST"
    table.refuse("BAD_CREDENTIALS")
    assert table.code(open_guest=BODIES["open_guest"]) == ""


def test_tokens_come_back_with_time() -> None:
    table = Table(limits=Limits(rate_burst=12, rate_per_s=10)).open()
    table.now += 10
    codes = [table.code(ping=BODIES["ping"]) for _ in range(13)]
    assert codes == [""] * 12 + ["TOO_FAST"]
    table.now += 0.11
    assert table.code(ping=BODIES["ping"]) == ""


def test_a_flood_ends_the_connection() -> None:
    table = Table().open()
    for _ in range(40):
        table.packet(*(table.command(ping=BODIES["ping"]) for _ in range(32)))
    assert table.closes() == ["flood"]
    other = Table()
    for _ in range(300):
        other.raw(b"")
    assert other.closes() == ["flood"]


def test_deadlines() -> None:
    table = Table()
    table.tick(4.9)
    assert not table.closes()
    table.tick(0.2)
    assert table.closes() == ["hello_timeout"]
    table = Table()
    table.hello()
    table.tick(29)
    assert not table.closes()
    table.tick(2)
    assert table.closes() == ["open_timeout"]
    table = Table().open()
    table.tick(100)
    table.ask(ping=BODIES["ping"])
    table.tick(100)
    assert not table.closes()
    assert notices(table.tick(21)) == ["IDLE"]
    assert table.closes() == ["idle"]


def test_whoever_is_not_let_in_hears_why() -> None:
    table = Table(gate=Refused("SERVER_FULL", retry_after_ms=5000))
    updates = table.packet(table.command(hello=BODIES["hello"]), table.command(ping=BODIES["ping"]))
    assert [u.answer.refusal.code for u in updates] == ["SERVER_FULL"]
    assert table.closes() == ["gate_server_full"]


def test_draining_lets_nobody_in_and_nobody_sit() -> None:
    table = Table().open()
    table.context.draining = True
    assert table.code(sit=BODIES["sit"]) == "DRAINING"
    assert table.code(quick_join=BODIES["quick_join"]) == "DRAINING"
    assert table.code(act=BODIES["act"]) == ""
    other = Table()
    other.context.draining = True
    other.hello()
    assert other.code(login=BODIES["login"]) == "DRAINING"


def test_a_stale_session_ends() -> None:
    table = Table().open()
    table.ask(act=BODIES["act"])
    updates = table.refuse("STALE_SESSION")
    assert updates[0].answer.refusal.code == "STALE_SESSION"
    assert notices(updates) == ["REPLACED"]
    assert table.closes() == ["replaced"]


def test_a_stale_resume_may_log_in_instead() -> None:
    table = Table()
    table.hello()
    table.ask(resume=BODIES["resume"])
    table.refuse("STALE_SESSION")
    assert not table.closes()
    assert table.code(login=BODIES["login"]) == ""


def test_ended_sessions_by_epoch() -> None:
    table = Table().open(epoch=3)
    assert table.run(table.session.ended(3, "KICKED", table.now)) == []
    assert notices(table.run(table.session.ended(4, "KICKED", table.now))) == ["KICKED"]
    assert table.closes() == ["kicked"]


@pytest.mark.parametrize("answered", ["new epoch", "refused", "too late"])
def test_an_end_during_our_own_change_of_password_waits_for_its_answer(answered: str) -> None:
    table = Table().open(epoch=3)
    table.ask(change_password=BODIES["change_password"])
    assert table.run(table.session.ended(4, "REPLACED", table.now)) == []
    if answered == "refused":
        table.refuse("BAD_CREDENTIALS")
    else:
        epoch = 4 if answered == "new epoch" else 3
        session = hall_pb2.Session(
            profile=common_pb2.Profile(player=9, name="Nine"), session_epoch=epoch
        )
        table.run(table.session.opened(table.last.ref, session, table.now))
    assert table.closes() == ([] if answered == "new epoch" else ["replaced"])


def test_logout_answers_and_closes() -> None:
    table = Table().open()
    table.ask(logout=BODIES["logout"])
    (update,) = table.run(table.session.answered(table.last.ref, hall_pb2.Done(), table.now))
    assert update.answer.HasField("done")
    assert table.closes() == ["logout"]


def test_the_end_that_a_logout_causes_does_not_overtake_its_answer() -> None:
    table = Table().open(epoch=3)
    table.ask(logout=BODIES["logout"])
    assert table.run(table.session.ended(4, "KICKED", table.now)) == []
    (update,) = table.run(table.session.answered(table.last.ref, hall_pb2.Done(), table.now))
    assert update.answer.HasField("done")
    assert table.closes() == ["logout"]


def test_nothing_comes_out_of_a_closed_session() -> None:
    table = Table().open()
    table.ask(act=BODIES["act"])
    ref = table.last.ref
    table.session.lost()
    assert table.host(ref=ref, done=hall_pb2.Done()) == []
    table.deliver(1, snapshot=True)
    assert table.run(table.session.tell("DRAINING", table.now)) == []
    assert table.run(table.session.cut("doudizhu.novice", 2, ask_at=0, now=table.now)) == []
    assert table.tick(1000) == []
    assert not table.session.end("KICKED", table.now)
