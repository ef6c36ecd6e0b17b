"""Keys, tickets, refresh tokens and secret files."""

from __future__ import annotations

import stat
from pathlib import Path

import pyseto
import pytest

from data_server.folder import Addresses, Secrets, announce, withdraw
from data_server.keys import Keys, read_or_make, rotate
from data_server.settings import DataSettings
from data_server.tickets import Tickets
from paiju.service.refusals import Refused


def test_two_keys_verify_and_the_newest_signs(tmp_path: Path) -> None:
    path = tmp_path / "keys.json"
    old = Keys.from_json(read_or_make(path, Keys.new().to_json()))
    rotate(path, now_us=1_000, overlap_us=500)
    new = Keys.from_json(path.read_text())
    assert new.secret == old.secret
    assert [k.not_after_us for k in new.tickets] == [0, 1_500]
    assert new.tickets[1].seed == old.tickets[0].seed
    tickets = Tickets(old, ticket_us=10)
    tickets.use(new)
    ticket = tickets.sign(player=1, name="A", guest=False, epoch=3, now_us=7)
    assert ticket.expires_us == 17
    key = pyseto.Key.from_asymmetric_key_params(version=4, x=new.tickets[0].public())
    assert b'"session_epoch":3' in pyseto.decode(key, ticket.token).payload
    former = pyseto.Key.from_asymmetric_key_params(version=4, x=old.tickets[0].public())
    with pytest.raises(pyseto.VerifyError):
        pyseto.decode(former, ticket.token)
    assert tickets.read_refresh(Tickets(old, ticket_us=1).refresh_token(player=9, epoch=2)) == (
        9,
        2,
    )


def test_refresh_tokens_of_another_hall_are_refused() -> None:
    ours, theirs = Tickets(Keys.new(), ticket_us=1), Tickets(Keys.new(), ticket_us=1)
    token = ours.refresh_token(player=2**63, epoch=4)
    assert ours.read_refresh(token) == (2**63, 4)
    assert ours.refresh_token(player=2**63, epoch=4) != token
    for wrong in ("", "x", token[:-4], token + "AAAA", "ü", "*" * 64):
        with pytest.raises(Refused, match="BAD_TICKET"):
            ours.read_refresh(wrong)
    with pytest.raises(Refused, match="BAD_TICKET"):
        theirs.read_refresh(token)


def test_secret_files_are_made_once_and_for_the_owner_only(tmp_path: Path) -> None:
    settings = DataSettings(data_dir=tmp_path / "hall")
    first = Secrets.load(settings)
    again = Secrets.load(settings)
    assert first == again and len(first.cluster_token) >= 32
    assert first.cluster_token != first.admin_key
    for path in (tmp_path / "hall").iterdir():
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
    (tmp_path / "hall" / "ticket-keys.json").write_text("{}")
    with pytest.raises(ValueError, match=r"ticket-keys\.json: this is no key file"):
        Secrets.load(settings)


def test_the_addresses_are_withdrawn_only_by_their_owner(tmp_path: Path) -> None:
    announce(tmp_path, Addresses("a:1", "b:2", "c:3"))
    path = tmp_path / "data-server.json"
    assert '"admin": "b:2"' in path.read_text()
    withdraw(tmp_path)
    assert not path.exists()
    path.write_text('{"pid": 1}')
    withdraw(tmp_path)
    assert path.exists()


def test_settings_say_what_is_wrong() -> None:
    for wrong, sentence in (
        ({"timezone": "Mars/Olympus"}, "is no time zone"),
        ({"database_url": "mysql://x"}, "sqlite:///FILE"),
        ({"ticket_s": 301}, "less than or equal to 300"),
        ({"lease_s": 1, "poll_s": 1}, "quarter of lease_s"),
    ):
        with pytest.raises(ValueError, match=sentence):
            DataSettings(**wrong)
