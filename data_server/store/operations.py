"""Operations: a repeat gets the first answer, in the same transaction as the effect.

Answers are kept 48 h and an id older than 24 h is refused, so an answer is never forgotten
while its id could still take effect. What is stored is sealed (answers may hold tickets) and
request bodies are kept as keyed hashes (they may hold passwords).

A refusal is an answer, too: it is stored, unless it says that the same call may succeed
later (retry_after_ms) or is about the caller (its epoch) and not about what was asked.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable
from typing import Any, TypeVar

from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from google.protobuf.message import Message
from sqlalchemy import delete, insert, select
from sqlalchemy.engine import Connection

from data_server.store.database import Database
from data_server.store.tables import Operation
from paiju.service import trace
from paiju.service.ids import now_us, op_time_us
from paiju.service.refusals import Refused

M = TypeVar("M", bound=Message)
Answer = Callable[[Connection], M]

HOUR_US = 3600 * 10**6
KEPT_US = 48 * HOUR_US
TAKEN_US = 24 * HOUR_US
AHEAD_US = HOUR_US  # how far the clock of the id's maker may be ahead of ours
_NOT_KEPT = frozenset({"STALE_EPOCH", "RETRY", "BUSY"})


class Operations:
    def __init__(self, database: Database, *, key: bytes, clock: Callable[[], int] = now_us):
        self._database = database
        self._seal = AESGCM(key)
        self._key = key
        self._clock = clock

    async def once(
        self, op: bytes, *, kind: str, body: Message, answer: type[M], work: Answer[M]
    ) -> M:
        """The answer of `work`, or the one it gave when `op` was seen first.

        body: the request without what does not belong to its meaning (who carries it, under
        which epoch). answer: its type, which has a field `refusal`.
        """
        self.check_age(op)
        span = trace.ring.begin(trace.Kind.DATA, op)
        refused = True
        try:
            made = await self._once(op, kind, body, answer, work)
            refused = made.HasField("refusal")
            return made
        finally:
            trace.ring.end(span, refused=refused)

    async def _once(
        self, op: bytes, kind: str, body: Message, answer: type[M], work: Answer[M]
    ) -> M:
        digest = self._digest(kind, body)

        def attempt(tx: Connection) -> M:
            stored = self._find(tx, op, kind, digest, answer)
            if stored is not None:
                return stored
            made = work(tx)
            self._keep(tx, op, kind, digest, made)
            return made

        try:
            return await self._database.write(attempt)
        except Refused as refused:
            if refused.retry_after_ms or refused.code in _NOT_KEPT or refused.code == "OP_REUSED":
                raise
            refusal: Any = answer(refusal=refused.message())

        def refuse(tx: Connection) -> M:
            stored = self._find(tx, op, kind, digest, answer)
            if stored is not None:
                return stored
            self._keep(tx, op, kind, digest, refusal)
            kept: M = refusal
            return kept

        return await self._database.write(refuse)

    def check_age(self, op: bytes) -> None:
        try:
            made = op_time_us(op)
        except ValueError:
            raise Refused("OP_REQUIRED") from None
        now = self._clock()
        if made < now - TAKEN_US:
            raise Refused("OP_EXPIRED")
        if made > now + AHEAD_US:
            raise Refused("MALFORMED", detail="the operation id is from the future")

    async def stored(self, op: bytes, *, kind: str, body: Message, answer: type[M]) -> M | None:
        """The answer that `op` got, if it was seen; saves costly work before `once`."""
        digest = self._digest(kind, body)
        return await self._database.read(lambda tx: self._find(tx, op, kind, digest, answer))

    async def forget_old(self) -> int:
        before = self._clock() - KEPT_US

        def work(tx: Connection) -> int:
            done = tx.execute(delete(Operation).where(Operation.created_us < before))
            return done.rowcount

        return await self._database.write(work)

    def _find(
        self, tx: Connection, op: bytes, kind: str, digest: bytes, answer: type[M]
    ) -> M | None:
        row = (
            tx.execute(
                select(Operation.kind, Operation.body_hash, Operation.answer).where(
                    Operation.op == op
                )
            )
        ).one_or_none()
        if row is None:
            return None
        if row.kind != kind or row.body_hash != digest:
            raise Refused("OP_REUSED")
        nonce, sealed = row.answer[:12], row.answer[12:]
        found = answer()
        found.ParseFromString(self._seal.decrypt(nonce, sealed, op))
        return found

    def _keep(self, tx: Connection, op: bytes, kind: str, digest: bytes, made: Message) -> None:
        nonce = secrets.token_bytes(12)
        sealed = nonce + self._seal.encrypt(nonce, made.SerializeToString(), op)
        tx.execute(
            insert(Operation).values(
                op=op, kind=kind, body_hash=digest, answer=sealed, created_us=self._clock()
            )
        )

    def _digest(self, kind: str, body: Message) -> bytes:
        data = kind.encode() + b"|" + body.SerializeToString(deterministic=True)
        return hashlib.blake2b(data, key=self._key, digest_size=32).digest()
