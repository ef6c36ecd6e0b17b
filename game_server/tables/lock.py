"""Locked tables: who may sit down and look on at a table that somebody opened for friends.

The journal and the host's memory hold a digest of the key, bound to the table, never the key.
"""

from __future__ import annotations

import hashlib
import hmac

KNOCKS, KNOCKS_PER_S = 30.0, 0.5
"""Keys that strangers may try at a table, all together: those that people make up are short."""
_LABEL = b"paiju table key v1"


def lock_of(table: int, key: str) -> str:
    """What is kept of a key; "" for none: the table is open to all."""
    if not key:
        return ""
    return hashlib.sha256(_LABEL + table.to_bytes(8, "big") + key.encode()).hexdigest()


def opens(lock: str, table: int, key: str) -> bool:
    """Whether the key is the one of this lock; every key opens a table without one."""
    return not lock or hmac.compare_digest(lock, lock_of(table, key))
