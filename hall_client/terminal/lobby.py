"""Which room a person wants or is still in; what cannot be shown is refused here."""

from __future__ import annotations

from collections.abc import Sequence

from hall_client.client import HallClient
from hall_client.texts import Texts
from paiju.rules.registry import Registry, UnknownGame
from paiju.wire.v1 import hall_pb2

DEFAULT_GAME = "doudizhu"
SNAPSHOT_S = 10.0


class NoSuchPlace(ValueError):
    """Its text is the sentence for the person."""


def choose(
    rooms: Sequence[hall_pb2.Room], *, game: str, room: str, registry: Registry, texts: Texts
) -> hall_pb2.Room:
    """The room asked for, the game's room for novices, or its first. Raises NoSuchPlace."""
    if room:
        found = [known for known in rooms if known.id == room]
        if not found:
            known_rooms = ", ".join(known.id for known in rooms)
            raise NoSuchPlace(texts("no_room", room=room, rooms=known_rooms))
        if game and not _is_game(found[0], game, registry):
            raise NoSuchPlace(texts("other_game", room=room, game=found[0].game))
        place = found[0]
    else:
        of_game = [known for known in rooms if _is_game(known, game or DEFAULT_GAME, registry)]
        if not of_game:
            raise NoSuchPlace(texts("no_game", game=game, games=_games(rooms, registry, texts)))
        novices = [known for known in of_game if known.id == f"{known.game}.novice"]
        place = (novices or of_game)[0]
    _check_shown(place, registry, texts)
    return place


async def held(client: HallClient, rooms: Sequence[hall_pb2.Room]) -> hall_pb2.Room | None:
    """The room of a table at which one still has a seat; None when there is none.

    Raises TimeoutError when that table is not shown within SNAPSHOT_S.
    """
    tables = client.tables()
    if not tables:
        return None
    await tables[0].wait(lambda _: True, timeout_s=SNAPSHOT_S)
    return next((room for room in rooms if room.id == tables[0].view["@table"]["room"]), None)


def title(room: hall_pb2.Room, texts: Texts) -> str:
    """The room's name in the person's language."""
    return room.title.get(texts.lang) or room.id


def _is_game(room: hall_pb2.Room, wanted: str, registry: Registry) -> bool:
    """By the name of the rule set, or its title in any language."""
    return wanted.strip().lower() in (room.game, *(t.lower() for t in _titles(room.game, registry)))


def _titles(game: str, registry: Registry) -> Sequence[str]:
    return [t for rules in registry.rule_sets() if rules.name == game for t in rules.title.values()]


def _games(rooms: Sequence[hall_pb2.Room], registry: Registry, texts: Texts) -> str:
    titles = {rules.name: rules.title.get(texts.lang, "") for rules in registry.rule_sets()}
    names = dict.fromkeys(room.game for room in rooms)
    return ", ".join(f"{name} {titles.get(name, '')}".strip() for name in names)


def _check_shown(room: hall_pb2.Room, registry: Registry, texts: Texts) -> None:
    """The rules must be here, and there must be cards: a board is nothing for lines of text."""
    try:
        game = registry.latest(room.game)
    except UnknownGame:
        raise NoSuchPlace(texts("not_installed", game=room.game)) from None
    if game.info.deterministic:
        raise NoSuchPlace(texts("not_shown", game=room.game))
