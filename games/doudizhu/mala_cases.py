"""Golden cases of Mala Dou Dizhu."""

from __future__ import annotations

from games.doudizhu.cases import (
    Case,
    Operations,
    combinations,
    fled,
    playing,
)
from games.doudizhu.mala import BLIND_FACTOR, ESCAPE_FACTOR, SEATS, Mala, stakes_settled


def _settle(case: Case) -> dict[str, list[int]]:
    given = case["input"]
    unit = given.get("base", 1) * given.get("N", 1)
    landlord, chain = given.get("landlord"), given.get("chain", [0] * SEATS)
    if landlord is not None:
        unit *= (BLIND_FACTOR if given.get("blind") else 1) * 2 ** given.get("bombs", 0)
    if given.get("escape"):
        seat, raises = given["escape"]["seat"], 0
        if landlord is not None:
            raises = max(chain) if seat == landlord else chain[seat]
        return fled(given, penalty=ESCAPE_FACTOR * unit << raises, seats=SEATS)
    booked = stakes_settled(
        landlord=landlord,
        landlord_won=given["winner"] == "landlord",
        unit=unit * (2 if given.get("spring") else 1),
        chain=chain,
        fee=given.get("A", 0),
        wealth=given.get("wealth"),
    )
    return {"deltas": list(booked.deltas), "fee": list(booked.fees)}


OPERATIONS: Operations = {
    **combinations(Mala.combos),
    "settle": _settle,
    "play": playing(Mala),
}
