"""The bot: counts the cards that can still come and weighs what each would win or cost.

It stakes what lets its wealth grow best in the long run, the expected logarithm of it (J. L.
Kelly, 1956), so it risks little of what it has on a narrow gap and much on a wide one; in
score play, where there is no wealth, the expected win decides. Deterministic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from games.chihuoguo.posts import Result, Stakes
from paiju.rules.cards import parse_cards

_AMOUNT = 8
"""An action holds its stake above so many bits; folding is 0."""


class HotpotBot:
    """Bot of one room's stakes."""

    def __init__(self, stakes: Stakes) -> None:
        self._stakes = stakes

    def act(self, view: Mapping[str, Any], legal: Sequence[Any], budget_ms: int = 20) -> Any:
        """The one of `legal` that is worth most; folding is worth nothing."""
        if len(legal) == 1:
            return legal[0]
        results = self._results(view)
        worth = [self._worth(view, results, action >> _AMOUNT) for action in legal]
        return legal[worth.index(max(worth))]

    def _results(self, view: Mapping[str, Any]) -> Counter[Result]:
        """How many of the unseen cards lead to each result."""
        posts = parse_cards(" ".join(view["posts"]))
        seen = set(parse_cards(" ".join(view["seen"])))
        return Counter(self._stakes.result(posts, c) for c in range(52) if c not in seen)

    def _worth(self, view: Mapping[str, Any], results: Counter[Result], stake: int) -> float:
        if stake == 0:
            return 0.0
        pot, has = view["pot"], view["has"]
        worth = 0.0
        for result, cards in results.items():
            change = self._stakes.change(result, stake, pot, has)
            if has is None:
                worth += cards * change
            else:
                worth += cards * math.log(max(1, has + change) / has)
        return worth
