"""Who receives a table: each subscribed player, through which gateway, in whose form.

Owned by the host, one per table. `L` is the link to a gateway.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Generic, NamedTuple, TypeVar

L = TypeVar("L")


class Subscription(NamedTuple, Generic[L]):
    link: L
    viewer: int
    connection: tuple[int, int]  # session epoch, connection number


class Audience(Generic[L]):
    """At most one subscription per player: the newest connection's."""

    def __init__(self) -> None:
        self._subscriptions: dict[int, Subscription[L]] = {}
        self._groups: dict[int, dict[L, list[int]]] | None = None

    def add(self, player: int, subscription: Subscription[L]) -> None:
        """Replaces what the player had, at whatever gateway."""
        self._subscriptions[player] = subscription
        self._groups = None

    def remove(self, player: int) -> bool:
        """Drop the player's subscription; whether there was one."""
        if player not in self._subscriptions:
            return False
        del self._subscriptions[player]
        self._groups = None
        return True

    def ended(self, player: int, connection: tuple[int, int], link: L) -> bool:
        """A connection of the player at that gateway has ended: drop what it had subscribed.

        Not when the subscription belongs to a newer connection, nor when the same pair has
        meanwhile come through another gateway (an opening that was repeated there).
        """
        held = self._subscriptions.get(player)
        if held is None or held.connection > connection or held.link is not link:
            return False
        return self.remove(player)

    def remove_link(self, link: L) -> list[int]:
        """Drop all of a gateway; returns the players."""
        gone = [p for p, s in self._subscriptions.items() if s.link is link]
        for player in gone:
            self.remove(player)
        return gone

    def get(self, player: int) -> Subscription[L] | None:
        return self._subscriptions.get(player)

    def groups(self) -> Mapping[int, Mapping[L, Sequence[int]]]:
        """viewer -> link -> players: what is encoded and sent once each."""
        if self._groups is None:
            groups: dict[int, dict[L, list[int]]] = {}
            for player, s in self._subscriptions.items():
                groups.setdefault(s.viewer, {}).setdefault(s.link, []).append(player)
            self._groups = groups
        return self._groups

    def links(self) -> Mapping[L, Sequence[int]]:
        """link -> all players, whatever their form."""
        out: dict[L, list[int]] = {}
        for player, s in self._subscriptions.items():
            out.setdefault(s.link, []).append(player)
        return out

    def __len__(self) -> int:
        return len(self._subscriptions)

    def __iter__(self) -> Iterator[int]:
        return iter(list(self._subscriptions))
