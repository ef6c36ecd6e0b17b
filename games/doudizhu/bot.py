"""The bot: plays from a view, never from a state; the hint button is its move.

It weighs every play by what is left of its hand afterwards (`partition.burden`), by whether
the play can still be beaten by the cards it has not seen, and by how near the others are to
going out. As a farmer it leaves a trick to the other farmer, feeds it when it has few cards,
and stands in the landlord's way. Deterministic: equal views give equal moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from games.doudizhu.kinds import COMBOS, FINDER
from games.doudizhu.partition import burden, gain
from paiju.rules.cards import mask_of, parse_cards
from paiju.rules.climbing import PASS, PLAY, Reading, shown_reading
from paiju.rules.climbing.combos import FULL
from paiju.rules.climbing.packed import ONE, counts_of, size_of

if TYPE_CHECKING:
    from games.doudizhu.rules import Doudizhu

_DECK = sum(one * copies for one, copies in zip(ONE, FULL, strict=True))
_BIDS = ((3.3, 3), (4.2, 2), (5.0, 1))
"""Call so much with a burden up to that."""
_PER_READING = 3
_LOOK_AHEAD = 4
_NEAR_CARDS = 12
_TEMPO = 0.6
"""What the lead is worth, in plays."""


class DoudizhuBot:
    """Bot of the classic game."""

    def __init__(self, game: Doudizhu) -> None:
        self._game = game

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """One of `legal`, chosen from the view of the seat whose turn it is."""
        if len(legal) == 1:
            return legal[0]
        hand = counts_of(mask_of(parse_cards(" ".join(view["hand"]))))
        if view["phase"] == "bid":
            return self._bid(hand, legal)
        return _Turn(view, hand, legal).choose()

    @staticmethod
    def _bid(hand: int, legal: Sequence[int]) -> int:
        """The three unknown cards help about as much as they burden."""
        weight = burden(hand)
        wanted = next((call for limit, call in _BIDS if weight <= limit), 0)
        return max([call for call in legal if 0 < call <= wanted], default=PASS)


class _Play:
    """One way to play, with what it leaves."""

    __slots__ = ("action", "counts", "left", "reading", "wings")

    def __init__(self, action: int, counts: int, reading: Reading, hand: int) -> None:
        self.action = action
        self.counts = counts
        self.reading = reading
        self.left = hand - counts
        self.wings = _wing_price(counts, reading)


class _Turn:
    """One decision in the play phase."""

    def __init__(self, view: Mapping[str, Any], hand: int, legal: Sequence[int]) -> None:
        self.hand = hand
        self.me: int = view["to_act"][0]
        self.landlord: int = view["landlord"]
        self.left: list[int] = view["counts"]
        table = view["table"]
        self.table = None if table is None else shown_reading(table)
        self.table_seat: int = -1 if table is None else table["seat"]
        played = sum(int(n) * one for n, one in zip(view["played"], ONE, strict=True))
        self.unseen = _DECK - played - hand
        self.next = (self.me + 1) % len(self.left)
        if self.me == self.landlord:
            self.enemies = [s for s in range(len(self.left)) if s != self.me]
            self.partner = None
        else:
            self.enemies = [self.landlord]
            self.partner = 3 - self.me - self.landlord
        self.near = min(self.left[s] for s in self.enemies)
        self.may_pass = legal[0] == PASS
        self.plays = list(self._candidates(legal))

    def _candidates(self, legal: Sequence[int]) -> Iterable[_Play]:
        """The plays worth a thought: of those that differ in wings only, the cheapest."""
        groups: dict[Reading, list[_Play]] = {}
        for action in legal:
            if action == PASS or action & 0xFF != PLAY:
                continue
            counts = counts_of(action >> 8)
            reading = COMBOS.reading_on(counts, self.table, None)
            if reading is not None:
                groups.setdefault(reading, []).append(_Play(action, counts, reading, self.hand))
        for plays in groups.values():
            plays.sort(key=lambda play: (play.wings, play.action))
            yield from plays[:_PER_READING]

    # ---- judgement -------------------------------------------------------------------------

    def _safe(self, play: _Play) -> bool:
        """Whether no cards that are out can beat it, whoever holds them."""
        return self._unbeaten(play.reading)

    def _unbeaten(self, reading: Reading) -> bool:
        most = max(self.left[s] for s in range(len(self.left)) if s != self.me)
        if reading.kind not in COMBOS.bombs and reading.length * _GROUP_SIZE[reading.kind] > most:
            return not self._bombs_are_out()
        return len(FINDER.follows(0, self.unseen, reading)) == 1

    def _bombs_are_out(self) -> bool:
        return len(FINDER.follows(0, self.unseen, _LOWEST_BOMB)) > 1

    def _wins(self, hand: int, depth: int) -> bool:
        """Whether the hand, on lead, can be played out with plays that nobody beats."""
        if hand in COMBOS.readings or hand == 0:
            return True
        if depth == 0:
            return False
        for counts in FINDER.leads(0, hand).counts():
            reading = COMBOS.readings[counts][0]
            if size_of(hand - counts) and not self._unbeaten(reading):
                continue
            if self._wins(hand - counts, depth - 1):
                return True
        return False

    # ---- leading ---------------------------------------------------------------------------

    def choose(self) -> int:
        for play in self.plays:
            if play.left == 0:
                return play.action
        winning = self._winning()
        if winning is not None:
            return winning.action
        return self._lead() if self.table is None else self._follow()

    def _winning(self) -> _Play | None:
        """A play after which nobody else gets the lead any more."""
        for play in self.plays:
            near = burden(play.left) < _LOOK_AHEAD and size_of(play.left) <= _NEAR_CARDS
            if near and self._safe(play) and self._wins(play.left, 2):
                return play
        return None

    def _lead(self) -> int:
        best, best_score = self.plays[0], -1e9
        for play in self.plays:
            score = self._lead_score(play)
            if score > best_score:
                best, best_score = play, score
        return best.action

    def _lead_score(self, play: _Play) -> float:
        kind, rank, _ = play.reading
        size = size_of(play.counts)
        score = -burden(play.left) + 0.05 * size - 0.03 * rank
        if kind in COMBOS.bombs:
            return score - 1.5
        if self.near == size and kind in ("single", "pair", "trio") and not self._safe(play):
            score -= 2.5 - 0.15 * rank
        elif self.near == 2 and kind == "single":
            score -= 0.6 - 0.05 * rank
        partner = self.partner
        if partner is not None and partner == self.next and size == self.left[partner] <= 2:
            score += 3.0 - 0.2 * rank
        elif partner is not None and self.left[partner] == size == 1 and self.near > 1:
            score += 1.5 - 0.15 * rank
        return score

    # ---- following -------------------------------------------------------------------------

    def _follow(self) -> int:
        """The best play if it is better than passing."""
        if self.partner is not None and self.table_seat == self.partner:
            return self._behind_partner()
        now = burden(self.hand)
        best, best_score = PASS, self._patience()
        for play in self.plays:
            score = now - burden(play.left) + self._worth_of_lead(play)
            if score > best_score:
                best, best_score = play.action, score
        return best

    def _patience(self) -> float:
        """What passing is worth: less, the nearer the enemies are to the end."""
        if self.left[self.table_seat] <= 2 or self.near <= 2:
            return -2.5
        return -0.8 if self.near <= 5 else -0.1

    def _worth_of_lead(self, play: _Play) -> float:
        kind, rank, length = play.reading
        keeps = 1.0 if self._safe(play) else min(1.0, gain(kind, rank, length))
        worth = _TEMPO * keeps
        if kind in COMBOS.bombs:
            worth -= 0.4
            if self.near <= 4:
                worth += 1.2
            if burden(play.left) <= 1.2:
                worth += 1.2
        elif self.near <= 2 and self.next in self.enemies:
            worth += 0.5 * keeps
        return worth

    def _behind_partner(self) -> int:
        """The other farmer has the trick: take it only to finish, or to block the landlord."""
        assert self.table is not None
        if self.next != self.landlord or self.left[self.table_seat] <= 2:
            return PASS
        if gain(*self.table) >= 0.3 or self.table.kind in COMBOS.bombs:
            return PASS
        now = burden(self.hand)
        best, best_score = PASS, 0.25
        for play in self.plays:
            kind, rank, _ = play.reading
            if kind in COMBOS.bombs or rank > _BLOCK_UP_TO:
                continue
            score = now - burden(play.left) - 0.5 + 0.03 * rank
            if score > best_score:
                best, best_score = play.action, score
        return best


_GROUP_SIZE = {k.name: k.copies + k.cards + 2 * k.pairs for k in COMBOS.kinds}
_LOWEST_BOMB = Reading("single", 14, 1)
_BLOCK_UP_TO = 11


def _wing_price(counts: int, reading: Reading) -> float:
    """What is carried away that would be worth keeping: high cards, cards of bombs."""
    kind = COMBOS.by_name[reading.kind]
    if not kind.winged:
        return 0.0
    price = 0.0
    lowest = reading.rank - reading.length + 1
    for rank in range(15):
        if not lowest <= rank <= reading.rank:
            price += (counts >> 4 * rank & 15) * (rank + (8 if rank > 10 else 0))
    return price
