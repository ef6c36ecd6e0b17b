"""`paiju admin log-level`: what the running programs of a machine write into their logs."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from paiju.cli.admin_options import HOME, DataDir, Json, write_json
from paiju.cli.output import fail, why
from paiju.service import logs

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")


def log_level(
    level: Annotated[
        str | None, typer.Argument(help=f"{', '.join(LEVELS)}, or `usual`; none: show it.")
    ] = None,
    program: Annotated[
        str,
        typer.Option(
            help="data-server, supervisor, gateway, host, web, or the name in its log lines."
        ),
    ] = "",
    json_file: Json = None,
    data_dir: DataDir = HOME,
) -> None:
    """The level of the logs of this machine's programs, from now on, without a restart.

    It lies in the data folder, so who may write there may change it, and each program logs the
    change (`log.level_changed`). It holds for programs that start later, too.

    Example: paiju admin log-level DEBUG --program host --data-dir /srv/paiju
    """
    path = data_dir / logs.LEVEL_FILE
    try:
        lines = path.read_text("utf-8").splitlines() if path.exists() else []
        if level is not None:
            lines = _changed(lines, level, program)
            _write(path, lines)
    except OSError as error:
        fail(why(error))
    typer.echo("\n".join(lines) or "as each program was told at its start", err=bool(json_file))
    write_json(json_file, {"levels": lines})


def _changed(lines: list[str], level: str, program: str) -> list[str]:
    kept = [line for line in lines if line.rpartition(" ")[0] != program]
    if level.lower() == "usual":
        return kept if program else []
    if level.upper() not in LEVELS:
        fail(f"{level!r} is none of {', '.join(LEVELS)} and `usual`", code=2)
    if not program:
        return [level.upper()]  # for all: what was said of single ones is over
    return [*kept, f"{program} {level.upper()}"]


def _write(path: Path, lines: list[str]) -> None:
    """Whole or not at all."""
    if not lines:
        path.unlink(missing_ok=True)
        return
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    draft.write_text("\n".join(lines) + "\n", "utf-8")
    draft.replace(path)
