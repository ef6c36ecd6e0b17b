"""Where a connection comes from, and how often one place may knock.

The address is the peer's own, unless the peer is a proxy that the operator trusts: then it is
the last address of `x-forwarded-for` that is not such a proxy. What lies before that address
was written by the client and proves nothing.

A place is an IPv4 /24 or an IPv6 /56. Many people may share one (an internet cafe behind one
address), so a place has tokens for all of them; a handshake takes one.
"""

from __future__ import annotations

import ipaddress
from collections import Counter, OrderedDict
from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

from game_server.bucket import Bucket

IPV4_PREFIX = 24
IPV6_PREFIX = 56
SMALLEST_SHARE = 50
REMEMBERED = 20_000
"""Buckets at most; the one longest without use goes first, and it was full again anyway."""

Network = ipaddress.IPv4Network | ipaddress.IPv6Network
K = TypeVar("K", bound=Hashable)


class Origins:
    """trusted: proxies, as "10.0.0.0/8" or "10.0.0.7". Raises ValueError for anything else."""

    def __init__(self, trusted: Iterable[str] = ()) -> None:
        self._trusted: tuple[Network, ...] = tuple(ipaddress.ip_network(text) for text in trusted)

    def address(self, peer: str, forwarded: str = "") -> str:
        """Of the player, as far as we can know it."""
        found = peer
        for hop in reversed(forwarded.split(",")):
            if not self._is_trusted(found):
                return found
            text = hop.strip()
            try:
                ipaddress.ip_address(text)
            except ValueError:
                return found
            found = text
        return found

    def _is_trusted(self, address: str) -> bool:
        if not self._trusted:
            return False
        try:
            ip = ipaddress.ip_address(address)
        except ValueError:
            return False
        return any(ip in network for network in self._trusted)


def place(address: str) -> str:
    """The prefix an address is counted under; what is no address is its own place."""
    try:
        ip = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(ip, ipaddress.IPv6Address) and ip.ipv4_mapped is not None:
        ip = ip.ipv4_mapped
    bits = IPV4_PREFIX if ip.version == 4 else IPV6_PREFIX
    return str(ipaddress.ip_network((ip, bits), strict=False))


class Crowd:
    """How many connections each place has: one may not take all there are.

    This machine's own programs are not counted; nor is anybody when the quota is so small that a
    share of it means nothing.
    """

    def __init__(self, *, quota: int, share: float) -> None:
        self._most = max(SMALLEST_SHARE, int(quota * share))
        self._here: Counter[str] = Counter()

    def has_room(self, address: str) -> bool:
        return _is_loopback(address) or self._here[place(address)] < self._most

    def came(self, address: str) -> None:
        self._here[place(address)] += 1

    def went(self, address: str) -> None:
        where = place(address)
        self._here[where] -= 1
        if self._here[where] <= 0:
            del self._here[where]


def _is_loopback(address: str) -> bool:
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class Tokens(Generic[K]):
    """A token bucket per key, for the keys that were seen lately."""

    def __init__(self, *, burst: float, per_s: float) -> None:
        self._burst = burst
        self._per_s = per_s
        self._buckets: OrderedDict[K, Bucket] = OrderedDict()

    def __len__(self) -> int:
        return len(self._buckets)

    def take(self, key: K, now: float) -> bool:
        """Take one; False when there is none."""
        return self._of(key, now).take(1, now)

    def wait_ms(self, key: K, now: float) -> int:
        """Until there is one."""
        return self._of(key, now).wait_ms(1, now)

    def _of(self, key: K, now: float) -> Bucket:
        bucket = self._buckets.get(key)
        if bucket is None:
            bucket = self._buckets[key] = Bucket(burst=self._burst, per_s=self._per_s, now=now)
            if len(self._buckets) > REMEMBERED:
                self._buckets.popitem(last=False)
        else:
            self._buckets.move_to_end(key)
        return bucket
