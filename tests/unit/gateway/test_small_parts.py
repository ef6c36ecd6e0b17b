"""Bucket, outbox, catalogue, settings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from game_server.bucket import Bucket
from game_server.gateway import catalogue
from game_server.gateway.metrics import Metrics
from game_server.gateway.outbox import Outbox
from game_server.gateway.settings import GatewaySettings
from paiju.service.settings import BadSettings, load
from paiju.wire.v1 import common_pb2, hall_pb2


def test_a_bucket_fills_with_time_and_not_above_its_top() -> None:
    bucket = Bucket(burst=10, per_s=2, now=0)
    assert bucket.take(10, 0)
    assert not bucket.take(1, 0.4)
    assert bucket.wait_ms(1, 0.4) in (100, 101, 102)
    assert bucket.take(1, 0.6)
    assert bucket.take(10, 1000)
    assert not bucket.take(1, 1000)
    assert not bucket.take(1, 900)  # a clock that goes back gives nothing


def test_the_outbox_makes_one_frame_and_knows_what_it_may_drop() -> None:
    outbox = Outbox(max_updates=3, max_bytes=10_000)
    updates = [
        hall_pb2.Update(notice=hall_pb2.Notice(code=str(n))).SerializeToString() for n in range(4)
    ]
    for number, update in enumerate(updates):
        assert not outbox.full
        outbox.put(update, now=5.0 + number, table=number % 2 * 7)
    assert outbox.full
    assert outbox.since == 5.0
    assert outbox.drop_tables() == {7}
    packet, count = outbox.take()
    assert count == 2
    assert (
        packet
        == hall_pb2.ServerFrame(
            updates=[hall_pb2.Update.FromString(u) for u in (updates[0], updates[2])]
        ).SerializeToString()
    )
    assert not outbox


class Game:
    id = SimpleNamespace(parameters='{"a":1}')
    info = SimpleNamespace(max_seats=3)

    def message(self, code: str, params: Mapping[str, object], locale: str) -> str | None:
        return f"{locale}:{params['rank']}" if code == "does_not_beat" else None


class Fake:
    def rooms(self) -> Sequence[Any]:
        return [
            SimpleNamespace(
                id="doudizhu.novice", game="doudizhu", title={"en": "N"}, currency="score",
                parameters={}, buy_in_min=1, buy_in_max=3, buy_in_default=2, seats=0,
            )
        ]  # fmt: skip

    def latest(self, name: str, parameters: Mapping[str, Any] | None = None) -> Any:
        return Game()


def test_rooms_and_sentences_of_the_packages() -> None:
    (spec,) = catalogue.room_specs(Fake())
    assert (spec.id, spec.seats, spec.parameters) == ("doudizhu.novice", 3, '{"a":1}')
    assert spec.currency == common_pb2.SCORE
    say = catalogue.sentences(Fake())
    assert say("DOES_NOT_BEAT", {"rank": "3"}, "zh", "doudizhu") == "zh:3"
    assert say("does_not_beat", {"rank": "3"}, "en", "doudizhu") == "en:3"
    assert say("who_knows", {}, "en", "doudizhu") == "who_knows"
    assert say("BUSY", {}, "en", "doudizhu").startswith("The server is busy")
    assert say("BUSY", {}, "zh", "") == "服务器繁忙，请稍后再试。"


def test_metrics_are_named_here_and_carry_no_ids() -> None:
    metrics = Metrics()
    metrics.command("act", "ok")
    metrics.command("act", "ok")
    metrics.closed("idle")
    metrics.data_failed("Login", "UNAVAILABLE")
    text = metrics.exposition().decode()
    assert 'paiju_gateway_commands_total{kind="act",outcome="ok"} 2.0' in text
    ours = ("#", "paiju_gateway_", "paiju_build_info")
    assert all(line.startswith(ours) for line in text.splitlines() if line)


def test_settings_say_what_is_missing() -> None:
    with pytest.raises(BadSettings, match="cell_secret"):
        load(GatewaySettings, name="g", server="s", cell="c")
    given = {
        "name": "g", "server": "s", "cell": "c", "cell_secret": "/x", "cluster_token": "/y",
        "seal_keys": "/z",
        "data_servers": ["a:1", "b:2"],
    }  # fmt: skip
    made = load(GatewaySettings, **given)
    assert made.data_servers == ("a:1", "b:2")
    assert made.quota == 1000
