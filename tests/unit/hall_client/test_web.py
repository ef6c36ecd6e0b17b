"""What the page's server hands out, without a hall behind it."""

from __future__ import annotations

import asyncio
import hashlib
import json
from base64 import b64decode
from pathlib import Path
from typing import Any

import pytest

from hall_client.web import catalogue, news
from hall_client.web.advice import Advice, NoAdvice
from hall_client.web.app import policy
from hall_client.web.pages import Pages
from paiju.rules.api import CHANCE
from paiju.rules.registry import KEPT_GAMES, Registry
from paiju.rules.shuffle import ShakeRng
from paiju.wire.v1 import hall_pb2

REGISTRY = Registry.default()


def seen(name: str) -> dict[str, Any]:
    """The first view in which somebody must act, as a table would show it."""
    game = REGISTRY.latest(name)
    state, rng = game.new_state(game.info.max_seats), ShakeRng(b"\0" * 32)
    while CHANCE in state.to_act():
        state.apply(CHANCE, state.sample_chance(rng))
    seat = state.to_act()[0]
    table = {"game": name, "version": game.id.version, "parameters": game.id.parameters}
    view: dict[str, Any] = json.loads(json.dumps(state.view(seat)))
    return {**view, "@table": table, "@you": seat}


def advised(view: Any) -> dict[str, Any]:
    return asyncio.run(Advice(REGISTRY).give(view))


@pytest.mark.parametrize("name", sorted(found.name for found in REGISTRY.rule_sets()))
def test_every_game_gives_a_listed_hint(name: str) -> None:
    given = advised(seen(name))
    assert given["hint"].split()[0] in {line.split()[0] for line in given["lines"]}


def test_a_seat_that_may_not_act_gets_no_hint() -> None:
    view = seen("doudizhu")
    view["legal"] = []
    view["to_act"] = [(view["@you"] + 1) % 3]
    assert advised(view) == {"hint": None, "lines": []}


@pytest.mark.parametrize(
    "change",
    [
        {"@table": None},
        {"@table": {"game": "no_such_game", "version": 1, "parameters": "{}"}},
        {"@table": {"game": "doudizhu", "version": 99, "parameters": "{}"}},
        {"hand": ["3z"]},
        {"hand": 17},
        {"legal": "play", "table": {"kind": "???"}, "phase": 5},
    ],
)
def test_what_is_no_view_is_refused_in_a_sentence(change: dict[str, Any]) -> None:
    with pytest.raises(NoAdvice) as refused:
        advised({**seen("doudizhu"), **change})
    assert str(refused.value)


@pytest.mark.parametrize(
    ("game", "fault"),
    [("chihuoguo", ZeroDivisionError), ("doudizhu_1v3", NotImplementedError)],
)
def test_whatever_the_rules_raise_is_a_refusal(
    game: str, fault: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Views that no table shows make rules raise what nobody can list; each would be a page of
    log that a stranger writes."""

    def raising(*_: Any) -> None:
        raise fault

    registry = Registry.default()
    monkeypatch.setattr(type(registry.latest(game)), "legal_in_view", raising)
    with pytest.raises(NoAdvice, match="not a view"):
        asyncio.run(Advice(registry).give(seen(game)))


def test_games_that_strangers_ask_for_are_not_all_kept() -> None:
    """Parameters have millions of values, and a page may send any."""
    registry = Registry.default()
    usual = registry.latest("doudizhu")
    for number in range(1, 2 * KEPT_GAMES):
        registry.latest("doudizhu", {"N": number})
        assert registry.latest("doudizhu") is usual, "what is in use stays"
    assert len(registry._games) <= KEPT_GAMES


@pytest.mark.parametrize("view", [None, [], "view", 3])
def test_anything_else_is_refused_too(view: Any) -> None:
    with pytest.raises(NoAdvice):
        advised(view)


def test_only_the_client_part_of_a_package_is_served(tmp_path: Path) -> None:
    for name in ("view.js", "help.en.md", "rules.py", "manifest.toml", "cases.jsonl", "notes.md"):
        (tmp_path / name).write_text(name)
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "tile.svg").write_text("<svg/>")
    (tmp_path / "more").mkdir()
    (tmp_path / "more" / "view.js").write_text("")
    part = catalogue.client_part("x", tmp_path)
    names = sorted(address.split("/", 3)[3] for address in part)
    assert names == ["assets/tile.svg", "help.en.md", "view.js"]


def test_an_address_changes_with_the_content(tmp_path: Path) -> None:
    (tmp_path / "view.js").write_text("one")
    first = catalogue.client_part("x", tmp_path)
    (tmp_path / "view.js").write_text("two")
    second = catalogue.client_part("x", tmp_path)
    assert first.keys().isdisjoint(second)
    (address,) = first
    assert address == f"p/x/{hashlib.sha256(b'one').hexdigest()}/view.js"


def test_the_policy_allows_the_import_map_and_no_other_inline_script() -> None:
    pages = Pages()
    (source,) = pages.inline_scripts
    inside = pages.index.partition('<script type="importmap">')[2].partition("</script>")[0]
    assert b64decode(source[8:-1]) == hashlib.sha256(inside.encode()).digest()
    assert f"script-src 'self' {source};" in policy([source])
    assert "{{base}}" not in pages.index


def test_a_file_of_another_version_is_not_there() -> None:
    pages = Pages()
    assert pages.file(pages.tag, "app.js")
    assert pages.file("0" * 16, "app.js") is None
    assert pages.file(pages.tag, "../web/app.py") is None


class _Rooms:
    """A gateway that offers one package in a newer version, and one that comes in pieces."""

    def __init__(self, files: dict[str, bytes]) -> None:
        self.files = files

    async def rooms(self) -> list[hall_pb2.Room]:
        return [hall_pb2.Room(id="x.one", package="reversi", package_version="9.0.0")]

    async def package(self, package: str, version: str) -> hall_pb2.PackageParts:
        parts = [
            hall_pb2.PackagePart(path=p, size=len(d), sha256=hashlib.sha256(d).hexdigest())
            for p, d in self.files.items()
        ]
        return hall_pb2.PackageParts(package=package, version=version, files=parts)

    async def package_file(self, package: str, version: str, path: str, offset: int) -> Any:
        data = self.files[path]
        return hall_pb2.FilePart(data=data[offset:], total=len(data))

    async def close(self) -> None:
        pass


async def test_a_version_that_was_published_later_is_told_and_the_old_one_stays(
    tmp_path: Path,
) -> None:
    shown = catalogue.Catalogue(Registry.default())
    old = shown.packages()["reversi"]
    files = {"view.js": b"export default 1;", "help.en.md": b"# new", "rules.py": b"secret"}
    seen = news.News(lambda: None, shown, tmp_path)
    seen._client = _Rooms(files)  # type: ignore[assignment]
    await seen._look()
    new = shown.packages()["reversi"]
    assert new["version"] == "9.0.0" and new["view"] != old["view"]
    package, tag = new["view"].split("/")[1:3]
    assert shown.file(package, tag, "view.js") == files["view.js"]
    assert shown.file(package, tag, "rules.py") is None, "code is never served, whoever sends it"
    assert shown.file(*old["view"].split("/")[1:3], "view.js")
    (game,) = [game for game in shown.shown() if game["name"] == "reversi"]
    assert game["view"] == new["view"]
    await seen.close()
