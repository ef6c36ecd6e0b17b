"""Who sits how: two federations of three, each seat opposite to an opponent."""

from __future__ import annotations

from games.gouji.actions import SEATS


def opposite(seat: int) -> int:
    """对家, always of the other federation."""
    return (seat + 3) % SEATS


def after(seat: int) -> list[int]:
    """The five others in order of play."""
    return [(seat + step) % SEATS for step in range(1, SEATS)]


def partners(seat: int) -> tuple[int, int]:
    """The two others of the federation, in order of play."""
    return (seat + 2) % SEATS, (seat + 4) % SEATS


def burn_order(seat: int) -> list[int]:
    """Who may burn this seat's play, first come first: its partners, then the neighbours."""
    return [(seat + step) % SEATS for step in (2, 4, 1, 5)]
