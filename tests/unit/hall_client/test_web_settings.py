"""The page as a program of its own: where it says the hall is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hall_client.web.main import WebHall
from hall_client.web.settings import WebSettings
from paiju.service.settings import BadSettings, load
from paiju.wire.server_keys import decode
from paiju.wire.tls.authority import Authority

KEY = "A" * 43
GATEWAYS = "wss://10.0.0.2:7743, wss://10.0.0.3:7743"


def state(folder: Path, **given: str) -> dict[str, Any] | None:
    """What `/hall.json` tells browsers; None: it answers 503."""
    return WebHall(load(WebSettings, data_dir=folder, **given))._state()


def test_gateways_and_keys_are_told_as_set_without_a_hall_here(tmp_path: Path) -> None:
    assert state(tmp_path, web_gateways=GATEWAYS, web_server_keys=KEY) == {
        "web_gateways": ["wss://10.0.0.2:7743", "wss://10.0.0.3:7743"],
        "server_keys": [KEY],
    }


def test_its_own_clients_go_to_the_same_gateways_with_the_authority_that_was_set(
    tmp_path: Path,
) -> None:
    Authority.make(tmp_path / "ca", cell="cell-1")
    ca = tmp_path / "ca/ca.pem"
    settings = load(WebSettings, web_gateways=GATEWAYS, web_server_keys=KEY, web_ca=ca)
    hall = WebHall(settings)._hall()
    assert hall is not None and hall.gateways == settings.web_gateways
    assert hall.server_keys == (decode(KEY),)
    assert hall.tls is not None and hall.tls.ca == ca.read_bytes()


def test_without_them_and_without_a_hall_it_is_not_ready(tmp_path: Path) -> None:
    assert state(tmp_path) is None


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"web_gateways": GATEWAYS}, "belong together"),
        ({"web_server_keys": KEY}, "belong together"),
        ({"web_gateways": "10.0.0.2:7743", "web_server_keys": KEY}, "no address of a gateway"),
        ({"web_gateways": GATEWAYS, "web_server_keys": "short"}, "not base64url"),
    ],
)
def test_wrong_settings_are_named(given: dict[str, str], why: str) -> None:
    with pytest.raises(BadSettings, match=why):
        load(WebSettings, **given)
