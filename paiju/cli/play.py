"""`paiju play`: a person plays in the terminal, with robots on the other seats."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from hall_client.bots.mind import GameMind
from hall_client.channels import ChannelPool
from hall_client.client import HallClient
from hall_client.errors import ConnectionFailed, HallError, Refused, SessionEnded
from hall_client.links import is_address
from hall_client.terminal import lobby, places
from hall_client.terminal.company import Company
from hall_client.terminal.lines import Lines
from hall_client.terminal.moves import Moves
from hall_client.terminal.person import Person, ended
from hall_client.terminal.screen import Screen
from hall_client.texts import Texts, language_of_environment
from hall_client.tls import Tls
from paiju.cli import output
from paiju.rules.registry import Registry, UnknownGame
from paiju.service.refusals import SENTENCES, sentence
from paiju.wire import server_keys
from paiju.wire.v1 import hall_pb2

CALL_S = 15.0
"""A person does not wait longer for an answer."""
CONNECT_S = 1.8
"""Nor for the first word of a hall."""


def play(
    address: Annotated[
        list[str] | None,
        typer.Option(
            metavar="HOST:PORT",
            help="A gateway; by TLS grpcs://HOST:PORT. Default: the hall of this machine.",
        ),
    ] = None,
    server_key: Annotated[
        str, typer.Option(metavar="KEY", help="The hall's public key; needed with --address.")
    ] = "",
    game: Annotated[str, typer.Option(help="What to play, e.g. gouji; default: doudizhu.")] = "",
    room: Annotated[str, typer.Option(help="Where to sit down; default: with novices.")] = "",
    ca: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="With TLS: the authorities to believe; PEM."),
    ] = None,
    tls_name: Annotated[
        str, typer.Option(metavar="NAME", help="With TLS: what the certificate must name.")
    ] = "",
    name: Annotated[str, typer.Option(help="How others see you; default: as last time.")] = "",
    lang: Annotated[str, typer.Option(help="zh or en; default: as your terminal.")] = "",
    data_dir: Annotated[
        Path | None, typer.Option(help="Hall and guest files; default $PAIJU_DATA_DIR, .paiju.")
    ] = None,
    think: Annotated[float, typer.Option(min=0, help="Seconds a robot takes at most.")] = 1.2,
) -> None:
    """Play a game of cards in the terminal; robots take the other seats.

    Example: paiju play --game shengji --lang en --name Ann
    """
    if lang not in ("", "zh", "en"):
        raise typer.BadParameter("--lang is zh or en")
    texts = Texts(lang or language_of_environment())
    folder = places.data_dir(data_dir)
    hall = _hall(address, server_key) if address else places.running_hall(folder)
    if hall is None:
        output.fail(texts("no_hall"))
    addresses = hall.gateways
    console = Console(soft_wrap=False)
    try:
        secret = places.device_secret(folder)
        wish = Wish(game=game, room=room, name=name)
        tls = replace(hall.tls, name=tls_name) if ca is None else Tls.load(ca, name=tls_name)
        asyncio.run(_play(console, texts, hall, tls=tls, wish=wish, secret=secret, think_s=think))
    except lobby.NoSuchPlace as no:
        output.fail(str(no))
    except UnknownGame as no:
        output.fail(texts("not_installed", game=str(no)))
    except ConnectionFailed as error:
        if error.reason in SENTENCES:  # somebody is there, and says why not
            output.fail(sentence(error.reason, {}, texts.lang))
        output.fail(texts("unreachable", addresses=", ".join(addresses)))
    except Refused as refused:
        output.fail(refused.sentence)
    except SessionEnded as error:
        output.fail(ended(error, texts))
    except OSError as error:
        output.fail(output.why(error))
    except (HallError, ValueError) as error:
        output.fail(str(error))
    except (KeyboardInterrupt, asyncio.CancelledError):
        raise typer.Exit(130) from None


@dataclass(frozen=True, kw_only=True)
class Wish:
    """What the person asked for; "" is "as usual"."""

    game: str
    room: str
    name: str


def _hall(addresses: Sequence[str], server_key: str) -> places.Hall:
    """A hall elsewhere. Raises BadParameter without its key: nobody could prove to be it."""
    try:
        keys = server_keys.pinned(server_key)
    except server_keys.BadKeys as error:
        raise typer.BadParameter(f"--server-key: {error}") from None
    for address in addresses:
        if not is_address(address):
            raise typer.BadParameter(
                f"--address: {address!r} is not HOST:PORT, as in 10.0.0.7:7700"
            )
    return places.Hall(gateways=tuple(addresses), server_keys=keys)


async def _play(
    console: Console,
    texts: Texts,
    hall: places.Hall,
    *,
    tls: Tls,
    wish: Wish,
    secret: bytes,
    think_s: float,
) -> None:
    registry = Registry.default()
    async with ChannelPool(tls=tls) as pool:
        company = Company(
            addresses=hall.gateways,
            server_keys=hall.server_keys,
            secret=secret,
            mind=GameMind(registry),
            locale=texts.lang,
            think_s=(think_s / 3, think_s),
            pool=pool,
        )
        lines = Lines()
        screen = Screen(console, in_place=console.is_terminal and lines.interactive)
        person = Person(
            screen=screen,
            lines=lines,
            texts=texts,
            moves=Moves(registry, screen, texts),
            fill=lambda: company.fill(client.tables()[0]),
        )
        client = HallClient(
            hall.gateways,
            server_keys=hall.server_keys,
            locale=texts.lang,
            kind="terminal",
            pool=pool,
            connect_timeout_s=CONNECT_S,
            timeout_s=CALL_S,
            observer=person.observe,
        )
        _ask_before_leaving(lines, person)
        async with company, client:
            session = await client.guest(secret, name=wish.name)
            rooms = await client.rooms()
            wanted = lobby.choose(
                rooms, game=wish.game, room=wish.room, registry=registry, texts=texts
            )
            room = await lobby.held(client, rooms) or wanted
            _greet(console, texts, session, room, wish)
            if room.id != wanted.id:
                console.print(
                    texts("held", game=lobby.title(room, texts)), style="yellow", markup=False
                )
            await person.run(client, room.id)
            coins = (await client.wallet()).coin
        console.print(texts("bye", coin=coins), highlight=False)


def _greet(
    console: Console, texts: Texts, session: hall_pb2.Session, room: hall_pb2.Room, wish: Wish
) -> None:
    """Who one is here, what one has, and how to type."""
    name, wallet = session.profile.name, session.wallet
    hello = texts("welcome", name=name, coin=wallet.coin, stake=wallet.escrow)
    console.print(hello, markup=False, highlight=False)
    if wish.name and wish.name != name:
        kept = texts("name_kept", name=name)
        console.print(kept, style="yellow", markup=False, highlight=False)
    how = texts("how", game=lobby.title(room, texts))
    console.print(how, style="dim", markup=False, highlight=False)


def _ask_before_leaving(lines: Lines, person: Person) -> None:
    """At the table Ctrl-C is `q`: it tells what leaving costs; the third one ends at once."""
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    pressed = 0

    def interrupted() -> None:
        nonlocal pressed
        pressed += 1
        if (pressed >= 3 or not person.listening) and task is not None:
            task.cancel()
        else:
            lines.push("q")

    with contextlib.suppress(NotImplementedError):
        loop.add_signal_handler(signal.SIGINT, interrupted)
