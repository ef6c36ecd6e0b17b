"""What money does: pure decisions, no database, no clock.

Every function takes what the caller has read under lock and returns the postings of one
entry as `Moves` (account id -> amount, summing to zero) or raises Refused; nothing is
changed. The store carries them out; a simulation may keep balances in a dictionary.

Coins lie in `wallet` (per player), `escrow` (per sitting), `pot` (per table), `house` and
`mint`. Scores lie in one `score` account per player and rule set, without escrow; what does
not sum to zero among the players is the house's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from paiju.service.refusals import Refused

COIN = 1
SCORE = 2
MAX_AMOUNT = 9 * 10**15

Moves = dict[int, int]


@dataclass(frozen=True, slots=True)
class Held:
    """An account and what lies on it."""

    account: int
    balance: int


@dataclass(frozen=True, slots=True)
class Seat:
    """A sitting as the ledger knows it. `account`: its escrow, or the player's score."""

    sitting: int
    table: int
    seat: int
    player: int
    host: str
    currency: int
    rule_set: str
    open: bool
    account: int


@dataclass(frozen=True, slots=True)
class Change:
    """What a hand does to one seat; `fee` >= 0 is already taken off `delta`."""

    seat: int
    sitting: int
    player: int
    delta: int
    fee: int


@dataclass(frozen=True, slots=True)
class Hand:
    """A finished or void hand that is to be booked."""

    table: int
    hand: int
    currency: int
    rule_set: str
    changes: Sequence[Change]
    pot_change: int


@dataclass(frozen=True, slots=True)
class Booked:
    """The postings of a hand, and what each sitting has paid into the pot by it."""

    moves: Moves
    pot_paid: Mapping[int, int]


def transfer(*, source: int, target: int, amount: int) -> Moves:
    """One account to another; nothing for 0."""
    return {source: -amount, target: amount} if amount else {}


def checked_stake(currency: int, amount: int) -> int:
    """The amount of a buy-in or top-up if it is one: > 0 coins, or 0 scores."""
    possible = 0 < amount <= MAX_AMOUNT if currency == COIN else currency == SCORE and amount == 0
    if not possible:
        raise Refused("BAD_AMOUNT", amount=amount)
    return amount


def stake(*, wallet: Held, escrow: int, amount: int) -> Moves:
    """Wallet -> escrow."""
    if wallet.balance < amount:
        raise Refused("NOT_ENOUGH", have=wallet.balance, need=amount)
    return transfer(source=wallet.account, target=escrow, amount=amount)


def grant(*, mint: int, wallet: Held, amount: int) -> Moves:
    """Mint -> wallet, or back when negative, never below 0."""
    if amount == 0 or abs(amount) > MAX_AMOUNT:
        raise Refused("BAD_AMOUNT", amount=amount)
    if wallet.balance + amount < 0:
        raise Refused("NOT_ENOUGH", have=wallet.balance, need=-amount)
    if wallet.balance + amount > MAX_AMOUNT:
        raise Refused("BAD_AMOUNT", amount=amount)
    return transfer(source=mint, target=wallet.account, amount=amount)


def fine(*, wallet: Held, house: int, amount: int) -> Moves:
    """Wallet -> house, as much of it as there is; nothing when there is nothing."""
    if not 0 < amount <= MAX_AMOUNT:
        raise Refused("BAD_AMOUNT", amount=amount)
    taken = min(amount, max(wallet.balance, 0))
    return transfer(source=wallet.account, target=house, amount=taken)


def relief(*, total: int, below: int, to: int) -> int:
    """How much a player with `total` coins is given."""
    return to - total if total < below < to else 0


def settle(
    hand: Hand,
    *,
    host: str,
    seats: Mapping[int, Seat],
    balances: Mapping[int, int],
    pot: int,
    house: int,
) -> Booked:
    """The entry of a hand.

    seats: by sitting. balances: of the accounts of the seats and of the pot. pot: its
    account; only looked at when pot_change is not 0. Refusals here are final: the hand does
    not fit the ledger, and an operator must look.
    """
    _check_amounts(hand)
    if hand.currency == COIN and _imbalance(hand):
        raise Refused("NOT_ZERO_SUM", sum=_imbalance(hand))
    moves: Moves = {}
    for change in hand.changes:
        seat = seats.get(change.sitting)
        if seat is None or not _fits(seat, change, hand, host):
            raise Refused("NO_SUCH_SITTING", sitting=change.sitting)
        # a void hand may come after its stakes were returned: nothing moves, nothing is wrong
        if not seat.open and change.delta:
            raise Refused("NO_SUCH_SITTING", sitting=change.sitting, closed=True)
        moves[seat.account] = moves.get(seat.account, 0) + change.delta
    if hand.currency == COIN:
        moves[house] = sum(change.fee for change in hand.changes)
        if hand.pot_change:
            moves[pot] = hand.pot_change
    else:
        moves[house] = -sum(moves.values())
    moves = {account: amount for account, amount in moves.items() if amount}
    for account, amount in moves.items():
        if account != house:
            _check_balance(balances[account], amount, floor=hand.currency == COIN)
    paid = pot_paid(hand) if hand.currency == COIN else {}
    return Booked(moves, paid)


def _check_amounts(hand: Hand) -> None:
    if hand.currency not in (COIN, SCORE):
        raise Refused("BAD_AMOUNT", currency=hand.currency)
    amounts = [hand.pot_change]
    for change in hand.changes:
        amounts += [change.delta, change.fee]
        if change.fee < 0:
            raise Refused("BAD_AMOUNT", amount=change.fee)
    for amount in amounts:
        if abs(amount) > MAX_AMOUNT:
            raise Refused("BAD_AMOUNT", amount=amount)
    sittings = {change.sitting for change in hand.changes}
    if len(sittings) != len(hand.changes):
        raise Refused("MALFORMED", detail="a sitting stands twice in one hand")


def _imbalance(hand: Hand) -> int:
    return sum(change.delta + change.fee for change in hand.changes) + hand.pot_change


def _fits(seat: Seat, change: Change, hand: Hand, host: str) -> bool:
    same_money = seat.currency == hand.currency and (
        seat.currency == COIN or seat.rule_set == hand.rule_set
    )
    return (
        same_money
        and seat.table == hand.table
        and seat.seat == change.seat
        and seat.player == change.player
        and seat.host == host
    )


def _check_balance(balance: int, amount: int, *, floor: bool) -> None:
    after = balance + amount
    if floor and after < 0:
        raise Refused("NOT_ENOUGH", have=balance, need=-amount)
    if abs(after) > MAX_AMOUNT:
        raise Refused("BAD_AMOUNT", amount=amount)


def pot_paid(hand: Hand) -> Mapping[int, int]:
    """Which sitting paid how much of what the pot has gained: in proportion to its loss."""
    if hand.pot_change <= 0:
        return {}
    losses = {change.sitting: -change.delta for change in hand.changes if change.delta < 0}
    return shares(hand.pot_change, losses)


def shares(amount: int, weights: Mapping[int, int]) -> dict[int, int]:
    """Split `amount` by weights: floors first, then the rest one by one, largest remainder
    first (the lower key on a tie)."""
    total = sum(weights.values())
    if total <= 0:
        return {}
    parts = {key: amount * weight // total for key, weight in weights.items()}
    rest = amount - sum(parts.values())
    by_remainder = sorted(weights, key=lambda key: (-(amount * weights[key] % total), key))
    for key in by_remainder[:rest]:
        parts[key] += 1
    return {key: part for key, part in parts.items() if part}


def split_pot(*, pot: Held, payers: Iterable[tuple[int, int]], house: int) -> Moves:
    """What a pot leaves when its table closes: back to those who paid, the rest to the house.

    payers: (wallet, paid). Each gets the whole part of its proportion, so nobody gains by
    who leaves last.
    """
    if pot.balance <= 0:
        return {}
    paid: dict[int, int] = {}
    for wallet, amount in payers:
        paid[wallet] = paid.get(wallet, 0) + amount
    total = sum(paid.values())
    moves: Moves = {}
    for wallet, amount in paid.items():
        part = pot.balance * amount // total if total else 0
        if part:
            moves[wallet] = part
    rest = pot.balance - sum(moves.values())
    if rest:
        moves[house] = moves.get(house, 0) + rest
    moves[pot.account] = -pot.balance
    return moves
