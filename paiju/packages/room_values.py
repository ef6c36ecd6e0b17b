"""What an operator may change of a room, as flat values: checked, shown, put into a preset.

    rules.NAME      a parameter of the game; the game says which there are
    turn_ms.KEY     milliseconds of a turn with that deadline key; keys of the package's preset
    reserve_ms      milliseconds per seat and hand after the turn's time
    buy_in_min, buy_in_max, buy_in_default      coins; not of rooms that play for score

Values are JSON: {"rules.N": 3, "turn_ms.play": 15000}. What is not named stays as the package
suggests it. Currency, seats and titles are the package's: who sits at a table must not find
himself at another one. Pure; data server, game server and command use it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from paiju.rules.api import Parameter

Value = int | bool | str
Values = Mapping[str, Value]
Schema = Mapping[str, Mapping[str, Any]]
"""Of a game: parameter -> default, minimum, maximum, meaning. As `schema_of` makes it."""

RULES, TURN = "rules.", "turn_ms."
BUY_INS = ("buy_in_min", "buy_in_default", "buy_in_max")
RESERVE = "reserve_ms"
MAX_COINS = 9 * 10**15
TURN_MS = (1_000, 3_600_000)
RESERVE_MS = (0, 86_400_000)
MAX_TEXT = 200


def schema_of(parameters: Mapping[str, Parameter]) -> dict[str, dict[str, Any]]:
    """The parameters of a game as JSON can carry them."""
    return {name: found._asdict() for name, found in parameters.items()}


def values_of(room: Any) -> dict[str, Value]:
    """All values of a room (`RoomPreset` or the game server's `RoomSpec`), also those that a
    package leaves to the game are not named: the game's default stands for them."""
    found: dict[str, Value] = {f"{RULES}{name}": v for name, v in sorted(room.parameters.items())}
    found |= {f"{TURN}{key}": ms for key, ms in sorted(room.turn_ms.items())}
    found[RESERVE] = room.reserve_ms
    if room.currency != "score":
        found |= {name: getattr(room, name) for name in BUY_INS}
    return found


def changed(room: Any, values: Values) -> dict[str, Any]:
    """Fields of the room that differ with the values, for its `replace`."""
    parameters, turns = dict(room.parameters), dict(room.turn_ms)
    fields: dict[str, Any] = {}
    for name, value in values.items():
        if name.startswith(RULES):
            parameters[name.removeprefix(RULES)] = value
        elif name.startswith(TURN):
            turns[name.removeprefix(TURN)] = value
        else:
            fields[name] = value
    return {**fields, "parameters": parameters, "turn_ms": turns}


def problems(values: Values, *, preset: Values, schema: Schema) -> list[str]:
    """What is wrong with them; sentences. preset: `values_of` what the package suggests."""
    found = [
        f"{name}: {why}" for name, v in values.items() if (why := _wrong(name, v, preset, schema))
    ]
    if not found and BUY_INS[0] in preset:
        low, usual, high = ({**preset, **values}[name] for name in BUY_INS)
        if not low <= usual <= high:  # type: ignore[operator]
            found.append(f"buy_in_min {low}, buy_in_default {usual}, buy_in_max {high} do not rise")
    return found


def _wrong(name: str, value: Any, preset: Values, schema: Schema) -> str:
    """ "" when the value may be set."""
    if name.startswith(RULES):
        parameter = schema.get(name.removeprefix(RULES))
        return "the game has no such parameter" if parameter is None else _not(value, parameter)
    if name.startswith(TURN):
        if name not in preset:
            return "the room has no such turn"
        # A step of the deal may be shorter than any turn of a person, where the package says so.
        return _outside(value, min(TURN_MS[0], int(preset[name])), TURN_MS[1])
    if name == RESERVE:
        return _outside(value, *RESERVE_MS)
    if name in BUY_INS:
        if name not in preset:
            return "the room plays for score, nobody brings coins"
        return _outside(value, 0, MAX_COINS)
    return "rooms have no such value"


def _not(value: Any, parameter: Mapping[str, Any]) -> str:
    """Whether the value is of the parameter's kind and within its bounds; "" when it is."""
    default = parameter["default"]
    if isinstance(default, bool):
        return "" if isinstance(value, bool) else f"{value!r} is neither true nor false"
    if isinstance(default, str):
        good = isinstance(value, str) and len(value) <= MAX_TEXT
        return "" if good else f"{value!r} is no text of at most {MAX_TEXT} characters"
    return _outside(value, parameter.get("minimum"), parameter.get("maximum"))


def _outside(value: Any, low: int | None, high: int | None) -> str:
    if not isinstance(value, int) or isinstance(value, bool):
        return f"{value!r} is no whole number"
    if (
        abs(value) > MAX_COINS
        or (low is not None and value < low)
        or (high is not None and value > high)
    ):
        bounds = ("any" if bound is None else bound for bound in (low, high))
        return f"{value} is not within " + " to ".join(map(str, bounds))
    return ""


def differences(before: Values, after: Values) -> Iterator[tuple[str, Value | None, Value | None]]:
    """(name, before, after) of what is another; None: the game's default."""
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield name, before.get(name), after.get(name)
