"""Soft locks of logins: per account, per address, and per account from one address.

Rows are keyed by a keyed hash, so this table names neither accounts nor addresses, and a name
that nobody has is locked like one that exists. An address from which the account has been
opened before is not held up by the account's own lock: strangers who guess cannot keep a
player out of the hall.
"""

from __future__ import annotations

import hashlib
import ipaddress
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.engine import Connection

from data_server import throttle
from data_server.store.tables import LoginLock, Player, PlayerAddress
from data_server.throttle import Rule, Tries

Attempt = Mapping[str, bytes]  # the rows that count it, by kind

ACCOUNT, PAIR, ADDRESS = "account", "pair", "address"
_V6_PREFIX = 64  # what one household gets


@dataclass(frozen=True)
class Locks:
    """rules: by ACCOUNT, PAIR and ADDRESS. key: of the hashes."""

    key: bytes
    rules: Mapping[str, Rule]

    def begin(self, tx: Connection, name_key: str, address: str, *, now_us: int) -> Attempt:
        """Count an attempt. Refused LOCKED: it may not go on, and nothing was counted."""
        subjects = self._subjects(name_key, address)
        if address and _seen_before(tx, name_key, address):
            del subjects[ACCOUNT]
        rows = self._locked(tx, subjects)
        for kind, key in sorted(subjects.items(), key=lambda item: item[1]):
            before = rows.get(key)
            after = throttle.begin(before or Tries(), self.rules[kind], now_us)
            if before is None:
                tx.execute(insert(LoginLock).values(key=key, **_values(after)))
            else:
                _write(tx, key, after)
        return subjects

    def take_back(self, tx: Connection, attempt: Attempt) -> None:
        """The password was right."""
        for key, tries in self._locked(tx, attempt).items():
            after = Tries() if key == attempt[PAIR] else throttle.take_back(tries)
            if after.failed:
                _write(tx, key, after)
            else:
                tx.execute(delete(LoginLock).where(LoginLock.key == key))

    def forget(self, tx: Connection, *, now_us: int) -> None:
        """Drop what no longer matters."""
        kept_us = max(rule.longest_us + rule.forget_us for rule in self.rules.values())
        tx.execute(delete(LoginLock).where(LoginLock.last_us < now_us - kept_us))

    def _subjects(self, name_key: str, address: str) -> dict[str, bytes]:
        place = prefix(address)
        subjects = {
            ACCOUNT: self._hash(ACCOUNT, name_key),
            PAIR: self._hash(PAIR, f"{place}|{name_key}"),
        }
        if place:
            subjects[ADDRESS] = self._hash(ADDRESS, place)
        return subjects

    def _hash(self, kind: str, value: str) -> bytes:
        return hashlib.blake2b(f"{kind}|{value}".encode(), key=self.key, digest_size=32).digest()

    def _locked(self, tx: Connection, subjects: Mapping[str, bytes]) -> dict[bytes, Tries]:
        rows = tx.execute(
            select(LoginLock.__table__)
            .where(LoginLock.key.in_(sorted(subjects.values())))
            .order_by(LoginLock.key)
            .with_for_update()
        )
        return {row.key: Tries(row.failed, row.last_us, row.until_us) for row in rows}


def prefix(address: str) -> str:
    """What stands for one household: the IPv4 address or the /64 of an IPv6 one."""
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address):
        if parsed.ipv4_mapped is not None:
            return str(parsed.ipv4_mapped)
        return str(ipaddress.IPv6Network((int(parsed), _V6_PREFIX), strict=False))
    return str(parsed)


def _seen_before(tx: Connection, name_key: str, address: str) -> bool:
    """One statement whether the name exists or not, so both take the same time."""
    found = tx.scalar(
        select(PlayerAddress.player_id)
        .join(Player, Player.id == PlayerAddress.player_id)
        .where(Player.name_key == name_key, PlayerAddress.address == address[:64])
    )
    return found is not None


def _values(tries: Tries) -> dict[str, int]:
    return {"failed": tries.failed, "last_us": tries.last_us, "until_us": tries.until_us}


def _write(tx: Connection, key: bytes, tries: Tries) -> None:
    tx.execute(update(LoginLock).where(LoginLock.key == key).values(**_values(tries)))
