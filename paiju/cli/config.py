"""`paiju config show`: every setting of a program with value, source, unit and meaning."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from data_server.settings import DataSettings
from game_server.gateway.settings import GatewaySettings
from game_server.supervisor.settings import GameServerSettings
from hall_client.web.settings import WebSettings
from paiju.cli.admin_options import Json, table_of, write_json
from paiju.cli.output import console
from paiju.service.settings import CONFIG_FILE, PREFIX, Settings, check_names, file_of, load

PROGRAMS: Mapping[str, type[Settings]] = {
    kind.program: kind for kind in (DataSettings, GameServerSettings, WebSettings)
}
# A gateway's settings come from its game server; a few may be set for all by the environment.
ALL: tuple[type[Settings], ...] = (*PROGRAMS.values(), GatewaySettings)
NO_SETTINGS = (
    *("DEBUG", "COMPILE", "ADMIN_ADDRESS", "ADMIN_KEY_FILE"),
    *("TEST_RUN", "SIM_NOTES", "SOAK_DIR"),
)
"""Variables of ours that commands and tests read."""
UNITS = {
    "_s": "seconds", "_ms": "milliseconds", "_days": "days", "_mb": "MiB", "_per_hour": "per hour",
    "_per_minute": "per minute", "_per_day": "per day", "_at_once": "calls", "_waiting": "calls",
}  # fmt: skip
COINS = ("start_grant", "relief_below", "relief_to")
_PASSWORD = re.compile(r"(://[^:/@\s]*):[^@/\s]*@")

app = typer.Typer(no_args_is_help=True, help="Settings: what there is, and what holds here.")


@app.callback()
def _root() -> None:
    pass


@app.command()
def show(
    program: Annotated[str, typer.Option(help=f"One of {', '.join(PROGRAMS)}.")],
    config_file: Annotated[Path | None, typer.Option(help="TOML file of settings.")] = None,
    json_file: Json = None,
) -> None:
    """Every setting as a program started here would have it: value, source, unit, meaning.

    Wrong or unknown settings end this with 2 and a sentence, as they would the program.

    Example: paiju config show --program game-server
    """
    kind = PROGRAMS.get(program)
    if kind is None:
        raise typer.BadParameter(f"{program} is none of {', '.join(PROGRAMS)}")
    use(config_file)
    rows = settings_of(kind)
    table = table_of("setting", "value", "from", "unit", "meaning")
    for row in rows:
        table.add_row(row["setting"], row["value"], row["source"], row["unit"], row["meaning"])
    console(None if json_file is None else str(json_file)).print(table)
    write_json(json_file, {"program": program, "settings": rows})


def use(config_file: Path | None) -> None:
    """Before a program reads its settings. Raises BadSettings when the environment or the file
    names what no program knows."""
    if config_file is not None:
        os.environ[CONFIG_FILE] = str(config_file.absolute())
    check_names(ALL, also=NO_SETTINGS)


def settings_of(kind: type[Settings]) -> list[dict[str, str]]:
    """Raises BadSettings."""
    loaded, in_file = load(kind), file_of(kind)
    environment = {name.upper() for name in os.environ}
    rows = []
    for name, field in kind.model_fields.items():
        source = "default"
        if f"{PREFIX}{name.upper()}" in environment:
            source = "environment"
        elif name in in_file:
            source = "file"
        rows.append(
            {
                "setting": name,
                "value": _shown(getattr(loaded, name)),
                "source": source,
                "unit": unit_of(name, field.annotation),
                "meaning": " ".join((field.description or "").split()),
            }
        )
    return rows


def unit_of(name: str, annotation: Any) -> str:
    """Empty for what has none: names, addresses, files, plain counts."""
    if name in COINS:
        return "coins"
    if annotation in (int, float):
        return next((unit for end, unit in UNITS.items() if name.endswith(end)), "")
    return ""


def _shown(value: Any) -> str:
    """A password in an address is nobody's business."""
    if isinstance(value, tuple):
        value = ",".join(map(str, value))
    return "" if value is None else _PASSWORD.sub(r"\1:***@", str(value))
