"""Settings: one frozen class per program, from flags, environment (PAIJU_...), file, defaults.

The file is TOML, named by PAIJU_CONFIG_FILE. What stands at its top is for every program, what
stands in a table `[data-server]`, `[game-server]` or `[web]` for that one.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from pathlib import Path
from typing import Any, ClassVar, TypeVar

from pydantic import ValidationError
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

PREFIX = "PAIJU_"
CONFIG_FILE = "PAIJU_CONFIG_FILE"
# Of services named paiju-...: Kubernetes puts their addresses into every pod's environment.
_SERVICE_LINK = re.compile(r".*_SERVICE_(HOST|PORT)(_.*)?|.*_PORT_\d+_(TCP|UDP)(_.*)?")

_file: ContextVar[Mapping[str, Any]] = ContextVar("settings_file")


class Settings(BaseSettings):
    """Base of the programs' settings. Units are in the names: `_s`, `_ms`, `_bytes`.

    program: its table in the file; empty: the class reads no file.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, frozen=True, extra="forbid", use_attribute_docstrings=True
    )
    program: ClassVar[str] = ""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        from_file = InitSettingsSource(settings_cls, dict(_file.get({})))
        return init_settings, env_settings, from_file


class BadSettings(ValueError):
    """A sentence that names every wrong setting and what would be right."""


S = TypeVar("S", bound=Settings)


def load(kind: type[S], **given: Any) -> S:
    """Settings from flags (`given`, None = not given), then the environment, then the file that
    it names, then defaults. Raises BadSettings."""
    token = _file.set(file_of(kind))
    try:
        return kind(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        lines = [
            f"{'.'.join(map(str, e['loc'])) or kind.__name__}: {e['msg']}" for e in error.errors()
        ]
        raise BadSettings("wrong settings: " + "; ".join(lines)) from None
    finally:
        _file.reset(token)


def file_of(kind: type[Settings]) -> dict[str, Any]:
    """What the file says to this program. A setting at the top that another program has is not
    for us; one that nobody of the file's programs could have is found by `unknown_in_file`."""
    path = os.environ.get(CONFIG_FILE)
    if not path or not kind.program:
        return {}
    content = read_file(Path(path))
    common = {n: v for n, v in content.items() if not isinstance(v, dict)}
    own = content.get(kind.program, {})
    unknown = [name for name in own if name not in kind.model_fields]
    if unknown:
        where = f"{path}, [{kind.program}]"
        raise BadSettings(_unknown(where, unknown, kind.model_fields))
    return {n: v for n, v in common.items() if n in kind.model_fields} | dict(own)


def read_file(path: Path) -> dict[str, Any]:
    """Raises BadSettings."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except OSError as error:
        raise BadSettings(f"{CONFIG_FILE}: cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise BadSettings(f"{CONFIG_FILE}: {path} is no TOML: {error}") from None


def check_names(kinds: Iterable[type[Settings]], *, also: Iterable[str] = ()) -> None:
    """Raises BadSettings when the environment or the file has a setting that no program knows.

    kinds: of all programs. also: variables that are no settings, without the prefix.
    """
    kinds = list(kinds)
    known = {name for kind in kinds for name in kind.model_fields}
    in_environment = known | {name.lower() for name in also} | {"config_file"}
    strange = [
        name
        for name, value in sorted(os.environ.items())
        if name.startswith(PREFIX)
        and name.removeprefix(PREFIX).lower() not in in_environment
        and not _SERVICE_LINK.fullmatch(name)
        and not value.startswith(("tcp://", "udp://"))
    ]
    if strange:
        names = [f"{PREFIX}{name.upper()}" for name in in_environment]
        raise BadSettings(_unknown("the environment", strange, names))
    path = os.environ.get(CONFIG_FILE)
    if not path:
        return
    content = read_file(Path(path))
    programs = {kind.program for kind in kinds if kind.program}
    strange = [
        name
        for name, value in content.items()
        if (name not in programs if isinstance(value, dict) else name not in known)
    ]
    if strange:
        raise BadSettings(_unknown(path, strange, known | programs))


def _unknown(where: str, names: Iterable[str], known: Iterable[str]) -> str:
    known = list(known)
    told = []
    for name in names:
        near = difflib.get_close_matches(name, known, n=1)
        told.append(f"{name}{f' (is {near[0]} meant?)' if near else ''}")
    return f"wrong settings: {where} has what no program knows: {', '.join(told)}"
