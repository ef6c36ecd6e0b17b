"""The `paiju` command: one table of sub-commands, each loaded only when it is called.

So `paiju --help` is quick, and a part that cannot be imported takes no other with it. What
escapes from a command becomes one sentence on standard error, unless `--debug` is given:
wrong settings end with 2, everything else that was not expected with 1.
"""

from __future__ import annotations

import importlib
import os
import sys
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup


@dataclass(frozen=True)
class Part:
    """`where` is "module:attribute", a Typer app or a function."""

    where: str
    summary: str


PARTS: Mapping[str, Part] = {
    "up": Part("paiju.cli.up:up", "The whole hall on this machine; Ctrl-C drains and stops it."),
    "demo": Part("paiju.cli.demo:demo", "Start a hall, let bots play, tell what happened, stop."),
    "play": Part("paiju.cli.play:play", "Play in the terminal."),
    "data-server": Part("paiju.cli.data:data_server", "Run one data server."),
    "migrate": Part("paiju.cli.data:migrate", "Bring a database to the schema of this version."),
    "game-server": Part("paiju.cli.game:game_server", "Run the game server of this machine."),
    "hall": Part("paiju.cli.hall:hall", "Hand out the page of a hall on other machines."),
    "load": Part("paiju.cli.load:app", "Load a hall with players, servers or logins; measure."),
    "chaos": Part(
        "paiju.cli.chaos.command:chaos", "Kill processes under play and tell what was lost."
    ),
    "rules": Part("paiju.cli.rules:app", "Check golden cases, replay records, time the rules."),
    "package": Part("paiju.cli.package:app", "Make, test, publish and start game packages."),
    "admin": Part("paiju.cli.admin:app", "Operator work, authenticated and audited."),
}


class _Parts(TyperGroup):
    """The sub-commands of PARTS. Listing them loads none."""

    def list_commands(self, ctx: Any) -> list[str]:
        return list(PARTS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        part = PARTS.get(cmd_name)
        return None if part is None else TyperCommand(cmd_name, help=part.summary)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name, command, rest = super().resolve_command(ctx, args)
        return name, command if name is None else load(name), rest


class Unavailable(Exception):
    """A part of the command cannot be imported here."""


def load(name: str) -> Any:
    """The command itself, ready to be invoked. Raises Unavailable."""
    module, _, attribute = PARTS[name].where.partition(":")
    try:
        found: Any = getattr(importlib.import_module(module), attribute)
    except (ImportError, AttributeError) as error:
        raise Unavailable(
            f"`paiju {name}` is not available in this installation: {error}"
        ) from error
    if isinstance(found, typer.Typer):
        command = typer.main.get_command(found)
    else:
        single = typer.Typer(add_completion=False)
        single.command(name=name)(found)
        command = typer.main.get_command(single)
    command.name = name
    return command


def version() -> str:
    """Of the checkout that this is, else of the installed package."""
    project = Path(__file__).resolve().parents[2] / "pyproject.toml"
    try:
        return str(tomllib.loads(project.read_text("utf-8"))["project"]["version"])
    except (OSError, KeyError, ValueError):
        return metadata.version("paiju")


def _debug() -> bool:
    return bool(os.environ.get("PAIJU_DEBUG"))


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"paiju {version()}")
        raise typer.Exit


app = typer.Typer(
    cls=_Parts,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="Paiju (牌局): a hall for online card games that runs on a cluster.",
)


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option("--version", callback=_print_version, is_eager=True, help="Print it."),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show where an error came from; anywhere on the line."),
    ] = False,
) -> None:
    pass


def main() -> None:
    """Entry point of the `paiju` script."""
    arguments = sys.argv[1:]
    own = arguments[: arguments.index("--")] if "--" in arguments else arguments
    if "--debug" in own:
        os.environ["PAIJU_DEBUG"] = "1"
        arguments.remove("--debug")
    try:
        typer.main.get_command(app)(args=arguments, prog_name="paiju")
    except Exception as error:
        if _debug():
            raise
        sys.exit(_explain(error))


def _explain(error: Exception) -> int:
    """Say on standard error what went wrong; the exit code."""
    from paiju.cli.output import why
    from paiju.service.settings import BadSettings

    text = why(error) if isinstance(error, OSError) else str(error) or type(error).__name__
    if isinstance(error, BadSettings):
        print(f"paiju: {text}", file=sys.stderr)  # noqa: T201
        return 2
    if isinstance(error, LookupError):
        text = f"{type(error).__name__}: {text}"
    print(f"paiju: {text} (--debug shows where)", file=sys.stderr)  # noqa: T201
    return 1


if __name__ == "__main__":
    main()
