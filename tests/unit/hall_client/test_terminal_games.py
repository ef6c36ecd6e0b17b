"""Every installed game in the terminal: shown in both languages, and playable by typing."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Iterator, Mapping
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from hall_client.terminal import board, helping, lobby
from hall_client.terminal.choices import Choices
from hall_client.terminal.facts import facts
from hall_client.terminal.narrate import narrate
from hall_client.terminal.vocabulary import EVENTS, FACTS, UNTOLD, VERBS
from hall_client.texts import SENTENCES, Texts
from paiju.rules.api import ALL, CHANCE, Event, Game
from paiju.rules.registry import Registry
from paiju.rules.shuffle import ShakeRng
from paiju.wire.v1 import hall_pb2

REGISTRY = Registry.default()
GAMES = sorted(rules.name for rules in REGISTRY.rule_sets())
ROOMS = {room.id: room for room in REGISTRY.rooms()}
OWN = 1
SQUARE = re.compile(r"[a-h][1-8]")
HANDS = 2
MAX_ACTIONS = 600
LANGUAGES = [Texts("zh"), Texts("en")]
_TOLD_APART = {"call", "landlord", "play", "pass", "escape", "redeal"}


def _as_table_view(game: Game, view: Mapping[str, Any], seats: int, own: int) -> dict[str, Any]:
    """What a client has: the game's keys after JSON, and the table's."""
    sitters = {
        f"@seat{seat}": {"player": "1", "name": f"P{seat}", "stake": 1000} for seat in range(seats)
    }
    table = {"game": game.name, "version": game.id.version, "parameters": game.id.parameters}
    return {
        **json.loads(json.dumps(view)),
        **sitters,
        "@table": table,
        "@you": own,
        "@phase": "playing",
        "@hand": 1,
    }


def _hand(room: str, number: int) -> Iterator[tuple[dict[str, Any], list[Event]]]:
    """The own seat's view before each action, and what it was told of the action."""
    preset = ROOMS[room]
    game = REGISTRY.latest(preset.game, preset.parameters)
    seats = preset.seats or game.info.min_seats
    state = game.new_state(seats, wealth=[10**6] * seats)
    rng = ShakeRng(f"{room} {number}".encode().ljust(32, b"."))
    for _ in range(MAX_ACTIONS):
        view = _as_table_view(game, state.view(OWN), seats, OWN)
        if state.is_terminal():
            outcome = state.outcome()
            view["@result"] = {"result": outcome.result, "deltas": list(outcome.deltas)}
            yield view, []
            return
        seat = state.to_act()[0]
        if seat == CHANCE:
            action = state.sample_chance(rng)
        else:
            acting = state.view(seat)
            action = game.bot().act(acting, game.legal_in_view(acting), 20)
        yield view, list(state.apply(seat, action))


def _told(event: Event) -> hall_pb2.TableEvent | None:
    data = event.data if OWN in event.to or event.to == ALL else event.masked
    if data is None:
        return None
    return hall_pb2.TableEvent(kind=event.kind, data=json.dumps(data).encode())


def _drawn(what: Any) -> str:
    file = io.StringIO()
    Console(width=100, file=file).print(what)
    return file.getvalue()


def _first_room(game: str) -> str:
    return next(room.id for room in ROOMS.values() if room.game == game)


@pytest.mark.parametrize("game", GAMES)
def test_a_hand_is_shown_told_and_typed(game: str) -> None:
    """Drawn once for each kind of moment; a fact, a verb or an event without words would be
    shown as the rules write it."""
    names = [f"P{seat}" for seat in range(6)]
    seen: set[object] = set()
    for number in range(HANDS):
        for view, events in _hand(_first_room(game), number):
            for event in events:
                assert event.kind in EVENTS.keys() | UNTOLD | _TOLD_APART, event.kind
                told = _told(event)
                for texts in LANGUAGES if told is not None else []:
                    narrate(told, names, texts)
            if "@result" in view:
                for texts in LANGUAGES:
                    assert texts("result", hand=1) in _drawn(board.result(view, texts))
            moment = (view["phase"], str(view.get("legal")), view.get("table") is None)
            if OWN in view["to_act"] and moment not in seen:
                seen.add(moment)
                _shown_and_typed(view)


def _shown_and_typed(view: Mapping[str, Any]) -> None:
    table = view["@table"]
    offered = Choices.of(
        REGISTRY.get(table["game"], table["version"], table["parameters"]), dict(view)
    )
    assert offered
    assert all(verb in VERBS or SQUARE.fullmatch(verb) for verb in offered.verbs)
    known = {en for en, _ in FACTS.values()}
    said = facts(view, board.speaker(view, LANGUAGES[1]))
    assert {text.plain.partition(":")[0] for text in said} <= known
    for texts in LANGUAGES:
        drawn = _drawn(board.board(view, texts))
        assert "P0" in drawn and texts("you") in drawn
        assert (texts("your_cards") in drawn) == bool(view.get("hand"))
        assert helping.asked(offered, texts)
        _drawn(helping.listed(offered, texts))
        board.task(view, texts)
    for at, line in enumerate(offered.lines[:50], 1):
        assert offered.read(line) == line
        assert offered.read(f"#{at}") == line


def test_nothing_is_drawn_of_a_view_before_the_first_hand() -> None:
    view = {"@seat0": None, "@seat1": {"name": "A", "stake": 5}, "@you": 1, "@phase": "waiting"}
    for texts in LANGUAGES:
        assert "5" in _drawn(board.board(view, texts))


@pytest.mark.parametrize("game", GAMES)
def test_rules_are_there_to_read(game: str) -> None:
    for lang in ("zh", "en"):
        assert len(helping.rules_text(REGISTRY, game, lang)) > 200


def _rooms() -> list[hall_pb2.Room]:
    return [hall_pb2.Room(id=room.id, game=room.game) for room in ROOMS.values()]


def test_a_room_is_found_by_game_title_or_id() -> None:
    def chosen(game: str = "", room: str = "") -> str:
        texts = LANGUAGES[1]
        return lobby.choose(_rooms(), game=game, room=room, registry=REGISTRY, texts=texts).id

    assert chosen() == "doudizhu.novice"
    assert chosen("shengji") == "shengji.one"
    assert chosen("升级") == "shengji.one"
    assert chosen("Gouji") == "gouji.novice"
    assert chosen(room="dagunzi.dead") == "dagunzi.dead"
    with pytest.raises(lobby.NoSuchPlace, match=r"xiangqi.*doudizhu"):
        chosen("xiangqi")
    with pytest.raises(lobby.NoSuchPlace, match="leave out"):
        chosen("gouji", "dagunzi.dead")


def test_what_the_terminal_cannot_show_is_refused() -> None:
    rooms = [hall_pb2.Room(id="chess.novice", game="chess")]
    texts = LANGUAGES[1]
    with pytest.raises(lobby.NoSuchPlace, match="not installed"):
        lobby.choose(rooms, game="chess", room="", registry=REGISTRY, texts=texts)

    class Board:
        info = SimpleNamespace(deterministic=True)

    class WithChess(Registry):
        def latest(self, name: str, parameters: Mapping[str, Any] | None = None) -> Any:
            return Board

    with pytest.raises(lobby.NoSuchPlace, match="board"):
        lobby.choose(rooms, game="chess", room="", registry=WithChess([]), texts=texts)


def test_every_sentence_is_there_in_both_languages() -> None:
    for en, zh in SENTENCES.values():
        assert en and zh
