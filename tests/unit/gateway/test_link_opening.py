"""Opening a stream between gateway and host: who is let in, and who is not."""

from __future__ import annotations

import pytest

from paiju.service.refusals import Refused
from paiju.wire import link, protocol
from paiju.wire.v1 import host_pb2

SECRET = b"s" * 32
WHO = {"cell": "cell-1", "host": "host-0", "epoch": 7}


def opened(asked: host_pb2.LinkChallenge, secret: bytes = SECRET) -> host_pb2.LinkOpen:
    return link.opening(secret, asked, **WHO, gateway="gateway-0")


def test_the_right_peer_is_let_in() -> None:
    asked = link.challenge()
    answer = link.accept(SECRET, asked, opened(asked), **WHO)
    assert not answer.HasField("refusal")
    assert answer.epoch == 7


def test_challenges_differ() -> None:
    assert link.challenge().nonce != link.challenge().nonce


def test_an_opening_cannot_be_used_for_another_challenge() -> None:
    old, new = link.challenge(), link.challenge()
    answer = link.accept(SECRET, new, opened(old), **WHO)
    assert answer.refusal.code == "LINK_MISMATCH"
    assert answer.refusal.params["detail"] == "mac"


def test_the_wrong_secret_is_refused_before_anything_else_is_told() -> None:
    asked = link.challenge()
    answer = link.accept(SECRET, asked, opened(asked, b"x" * 32), cell="c", host="h", epoch=1)
    assert answer.refusal.params["detail"] == "mac"
    assert answer.epoch == 0


@pytest.mark.parametrize("field, value", [("cell", "other"), ("host", "other"), ("epoch", 8)])
def test_a_field_of_the_opening_cannot_be_changed(field: str, value: object) -> None:
    asked = link.challenge()
    message = opened(asked)
    setattr(message, field, value)
    with pytest.raises(Refused) as refused:
        link.verify(SECRET, asked, message, **WHO)
    assert refused.value.params["detail"] == "mac"


@pytest.mark.parametrize(
    "mine, code",
    [
        ({"cell": "other"}, "LINK_MISMATCH"),
        ({"host": "other"}, "LINK_MISMATCH"),
        ({"epoch": 8}, "STALE_EPOCH"),
    ],
)
def test_another_cell_host_or_epoch_is_refused(mine: dict[str, object], code: str) -> None:
    asked = link.challenge()
    answer = link.accept(SECRET, asked, opened(asked), **{**WHO, **mine})  # type: ignore[arg-type]
    assert answer.refusal.code == code
    assert answer.epoch == (8 if code == "STALE_EPOCH" else 0)


def test_fields_cannot_flow_into_each_other() -> None:
    one = link.mac(SECRET, nonce=b"n", cell="ab", host="c", epoch=1, gateway="g", version=1)
    two = link.mac(SECRET, nonce=b"n", cell="a", host="bc", epoch=1, gateway="g", version=1)
    assert one != two


def test_a_host_of_another_protocol_is_not_opened() -> None:
    asked = link.challenge()
    asked.protocol = protocol.LINK_PROTOCOL + 1
    with pytest.raises(Refused):
        opened(asked)


def test_a_short_secret_is_no_secret() -> None:
    with pytest.raises(ValueError, match="secret"):
        opened(link.challenge(), b"short")
