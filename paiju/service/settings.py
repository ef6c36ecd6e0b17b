"""Settings: one frozen class per program, from flags, environment (PAIJU_...) and defaults."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict


class Settings(BaseSettings):
    """Base of the programs' settings. Units are in the names: `_s`, `_ms`, `_bytes`."""

    model_config = SettingsConfigDict(env_prefix="PAIJU_", frozen=True, extra="forbid")


class BadSettings(ValueError):
    """A sentence that names every wrong setting and what would be right."""


S = TypeVar("S", bound=Settings)


def load(kind: type[S], **given: Any) -> S:
    """Settings from flags (`given`, None = not given), then the environment, then defaults."""
    try:
        return kind(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        lines = [
            f"{'.'.join(map(str, e['loc'])) or kind.__name__}: {e['msg']}" for e in error.errors()
        ]
        raise BadSettings("wrong settings: " + "; ".join(lines)) from None
