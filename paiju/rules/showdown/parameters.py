"""Values of a room: integers with a range, switches, choices by name, short tables."""

from __future__ import annotations

from collections.abc import Mapping

from paiju.rules.api import Parameter

Value = int | bool | str


_DIGITS = 15
"""Longer amounts are nonsense, and would not survive JSON in a browser."""


def amount(text: str) -> int:
    """An amount as a player writes it. ValueError for anything but an integer >= 0."""
    if not (text.isascii() and text.isdigit() and len(text) <= _DIGITS):
        raise ValueError(f"{text[:40]!r} is no amount")
    return int(text)


def numbers(text: str) -> tuple[int, ...]:
    """A table written as `5/10/15`. ValueError for anything but integers >= 0."""
    return tuple([amount(part) for part in text.split("/")])


def checked(
    name: str,
    allowed: Mapping[str, Parameter],
    choices: Mapping[str, tuple[str, ...]],
    given: Mapping[str, object],
) -> dict[str, Value]:
    """Values of all parameters, defaults included. ValueError says what is not allowed.

    A parameter whose default is text takes one of its `choices`; without choices it is a
    table with as many numbers as the default, each within minimum and maximum.
    """
    unknown = sorted(set(given) - set(allowed))
    if unknown:
        raise ValueError(f"{name}: unknown parameters {', '.join(unknown)}")
    return {
        key: _value(
            f"{name}: {key}", parameter, choices.get(key), given.get(key, parameter.default)
        )
        for key, parameter in allowed.items()
    }


def _value(
    label: str, parameter: Parameter, choices: tuple[str, ...] | None, value: object
) -> Value:
    default = parameter.default
    if type(value) is not type(default):
        raise ValueError(f"{label} is {value!r}, a {type(default).__name__} is needed")
    assert isinstance(value, (int, str))
    if choices is not None:
        if value not in choices:
            raise ValueError(f"{label} is {value!r}, allowed are {', '.join(choices)}")
        return value
    low, high = parameter.minimum or 0, parameter.maximum or 0
    try:
        table = numbers(value) if isinstance(value, str) else (int(value),)
    except ValueError as error:
        raise ValueError(f"{label}: {error}") from None
    if isinstance(default, str) and len(table) != len(numbers(default)):
        raise ValueError(f"{label} is {value!r}, {len(numbers(default))} numbers are needed")
    if not isinstance(default, bool) and not all(low <= number <= high for number in table):
        raise ValueError(f"{label} is {value!r}, allowed are {low} to {high}")
    return value
