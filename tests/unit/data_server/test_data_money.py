"""The pure rules of money: every decision sums to zero or is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_server import ledger
from data_server.ledger import COIN, MAX_AMOUNT, SCORE, Change, Hand, Held, Seat
from paiju.service.refusals import Refused

HOUSE, POT = 900, 901


def seat(number: int, **changed: object) -> Seat:
    plain = Seat(
        sitting=10 + number,
        table=7,
        seat=number,
        player=20 + number,
        host="h",
        currency=COIN,
        rule_set="r",
        open=True,
        account=30 + number,
    )
    return replace(plain, **changed)  # type: ignore[arg-type]


def change(number: int, delta: int, fee: int = 0) -> Change:
    return Change(seat=number, sitting=10 + number, player=20 + number, delta=delta, fee=fee)


def book(hand: Hand, *seats: Seat, stake: int = 1000, host: str = "h") -> ledger.Booked:
    return ledger.settle(
        hand,
        host=host,
        seats={one.sitting: one for one in seats},
        balances={**{one.account: stake for one in seats}, POT: 50, HOUSE: 0},
        pot=POT,
        house=HOUSE,
    )


def coins(*changes: Change, pot: int = 0, currency: int = COIN) -> Hand:
    return Hand(table=7, hand=1, currency=currency, rule_set="r", changes=changes, pot_change=pot)


def test_a_hand_moves_stakes_fees_and_pot() -> None:
    booked = book(coins(change(0, -110, 10), change(1, 40, 10), pot=50), seat(0), seat(1))
    assert booked.moves == {30: -110, 31: 40, HOUSE: 20, POT: 50}
    assert booked.pot_paid == {10: 50}


@pytest.mark.parametrize(
    ("hand", "seats", "code"),
    [
        (coins(change(0, 5)), [seat(0)], "NOT_ZERO_SUM"),
        (coins(change(0, 0, 5)), [seat(0)], "NOT_ZERO_SUM"),
        (coins(change(0, 5, -5)), [seat(0)], "BAD_AMOUNT"),
        (coins(change(0, -1001, 1001)), [seat(0)], "NOT_ENOUGH"),
        (coins(change(0, 51), pot=-51), [seat(0)], "NOT_ENOUGH"),
        (coins(change(0, MAX_AMOUNT + 1), pot=-MAX_AMOUNT - 1), [seat(0)], "BAD_AMOUNT"),
        (coins(change(0, 1), change(0, -1)), [seat(0)], "MALFORMED"),
        (coins(change(0, 0)), [], "NO_SUCH_SITTING"),
        (coins(change(0, 0)), [seat(0, table=8)], "NO_SUCH_SITTING"),
        (coins(change(0, 0)), [seat(0, seat=2)], "NO_SUCH_SITTING"),
        (coins(change(0, 0)), [seat(0, player=1)], "NO_SUCH_SITTING"),
        (coins(change(0, 0)), [seat(0, host="other")], "NO_SUCH_SITTING"),
        (coins(change(0, 0)), [seat(0, currency=SCORE)], "NO_SUCH_SITTING"),
        (coins(change(0, -1, 1)), [seat(0, open=False)], "NO_SUCH_SITTING"),
        (coins(change(0, 0), currency=3), [seat(0)], "BAD_AMOUNT"),
    ],
)
def test_what_does_not_fit_is_refused(hand: Hand, seats: list[Seat], code: str) -> None:
    with pytest.raises(Refused) as refused:
        book(hand, *seats)
    assert refused.value.code == code and refused.value.retry_after_ms == 0


def test_a_void_hand_moves_nothing_even_after_the_stakes_went_back() -> None:
    assert book(coins(change(0, 0)), seat(0, open=False)).moves == {}


def test_scores_may_be_negative_and_the_house_takes_the_rest() -> None:
    seats = [seat(n, currency=SCORE) for n in range(2)]
    hand = coins(change(0, -5000), change(1, 3), currency=SCORE)
    assert book(hand, *seats).moves == {30: -5000, 31: 3, HOUSE: 4997}
    with pytest.raises(Refused, match="NO_SUCH_SITTING"):
        book(replace(hand, rule_set="other"), *seats)


@given(st.integers(0, 10**6), st.dictionaries(st.integers(0, 9), st.integers(0, 10**6)))
def test_shares_are_whole_and_fair(amount: int, weights: dict[int, int]) -> None:
    parts = ledger.shares(amount, weights)
    total = sum(weights.values())
    assert sum(parts.values()) == (amount if total else 0)
    for key, part in parts.items():
        assert abs(part - amount * weights[key] / total) < 1


@given(
    st.integers(0, 10**9), st.lists(st.tuples(st.integers(1, 5), st.integers(1, 10**6)), max_size=9)
)
def test_a_pot_is_split_whole(balance: int, payers: list[tuple[int, int]]) -> None:
    moves = ledger.split_pot(pot=Held(POT, balance), payers=payers, house=HOUSE)
    assert sum(moves.values()) == 0
    assert moves.get(POT, 0) == -balance
    assert all(amount > 0 for account, amount in moves.items() if account != POT)
    assert moves.get(HOUSE, 0) <= len(payers) or not payers


def test_grants_and_relief() -> None:
    assert ledger.grant(mint=1, wallet=Held(2, 5), amount=-5) == {1: 5, 2: -5}
    for amount, code in ((0, "BAD_AMOUNT"), (-6, "NOT_ENOUGH"), (MAX_AMOUNT, "BAD_AMOUNT")):
        with pytest.raises(Refused, match=code):
            ledger.grant(mint=1, wallet=Held(2, 5), amount=amount)
    given_to = [ledger.relief(total=total, below=1000, to=2000) for total in (0, 999, 1000)]
    assert given_to == [2000, 1001, 0]
    assert ledger.relief(total=0, below=0, to=0) == 0
