"""Promises about claims of one moment: seats that may act although it is not their turn."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast, runtime_checkable

from paiju.rules.api import Action, IllegalAction, Seat, TakesClaims

if TYPE_CHECKING:
    from paiju.rules.testkit._hand import Hand

Claim = tuple[int, Any]


@runtime_checkable
class ListsClaims(TakesClaims, Protocol):
    """A state that takes claims and says which: without that the kit could make none."""

    def claims(self, seat: Seat) -> Sequence[Action]:
        """What the seat may claim now, out of turn (like legal_actions, maybe a hint set)."""


def _of_a_moment(hand: Hand, state: ListsClaims) -> list[Claim]:
    """One random claim of each seat that has any."""
    claims: list[Claim] = []
    for seat in range(hand.seats):
        possible = state.claims(seat)
        if possible:
            claims.append((seat, possible[hand.rng.below(len(possible))]))
    return claims


def claims_are_ordered(hand: Hand) -> None:
    """Each is legal and reads back; the order does not depend on who was quicker."""
    if not hand.lists_claims:
        return
    state, takes = hand.state, cast(ListsClaims, hand.state)
    claims = _of_a_moment(hand, takes)
    for seat, action in claims:
        text = hand.game.format(action)
        if not state.is_legal(seat, action):
            hand.fail("claims", f"{text!r} of seat {seat} may be claimed and is not legal")
        if hand.game.parse(state, seat, text) != action:
            hand.fail("claims", f"{text!r} reads as another action")
    before = state.hash()
    try:
        order, again = (list(takes.order_claims(sent)) for sent in (claims, claims[::-1]))
    except IllegalAction as refused:
        hand.fail("claims", f"legal claims are refused together: {refused.code}")
    if order != again:
        hand.fail("claims", "the order of claims depends on the order in which they came")
    if sorted(order, key=repr) != sorted(claims, key=repr):
        hand.fail("claims", "other claims come back than were given")
    if state.hash() != before:
        hand.fail("claims", "ordering claims changed the state")


def first_of_a_moment(hand: Hand) -> Claim | None:
    """The claim that the table would apply; None when nobody has one."""
    takes = cast(ListsClaims, hand.state)
    claims = _of_a_moment(hand, takes)
    if not claims:
        return None
    hand.report.claims += 1
    return takes.order_claims(claims)[0]
