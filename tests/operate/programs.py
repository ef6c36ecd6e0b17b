"""What a deployment file starts, held against the programs: command, settings, ports."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any
from unittest import mock

from data_server.settings import DataSettings
from game_server.supervisor.settings import GameServerSettings
from hall_client.web.settings import WebSettings
from paiju.cli.main import PARTS
from paiju.service.settings import Settings, load

SETTINGS: Mapping[str, type[Settings]] = {
    "data-server": DataSettings,
    "migrate": DataSettings,
    "game-server": GameServerSettings,
    "hall": WebSettings,
}
# Read by what is around the programs, or by Ray.
OTHERS = {"HEALTH_URL", "RAY_AUTH_MODE", "RAY_AUTH_TOKEN_PATH"}
KEY = "A" * 43
"""A public key of 32 bytes, where a deployment leaves it to the operator."""


def settings_of(command: str, environment: Mapping[str, str]) -> Any:
    """The program's settings under this environment alone. Raises BadSettings.

    AssertionError: there is no such command, or a setting that none of the programs knows.
    """
    assert command in PARTS, f"`paiju {command}` does not exist"
    known = {f"PAIJU_{n.upper()}" for kind in SETTINGS.values() for n in kind.model_fields}
    assert not any(name.startswith("PAIJU_") for name in OTHERS)  # a program would stop at it
    unknown = environment.keys() - known - OTHERS
    assert not unknown, f"nobody reads {sorted(unknown)}"
    kept = {n: v for n, v in os.environ.items() if not n.startswith("PAIJU_")}
    with mock.patch.dict(os.environ, {**kept, **environment}, clear=True):
        return load(SETTINGS[command])


def has_fixed_version(image: str) -> bool:
    """A tag other than `latest`, or a digest."""
    _, _, tag = image.rpartition("/")[2].partition(":")
    return "@sha256:" in image or (bool(tag) and tag != "latest")
