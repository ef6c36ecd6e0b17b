"""Calls to the data server: several addresses, deadlines, repeats, typed refusals.

Every call used here may be repeated (a read, idempotent, or under the same operation id),
so a failed attempt is tried again at the next address until the deadline. What the caller
sees is an answer or `Refused`: the business's own code, BUSY, RETRY or INTERNAL.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from typing import Any, Protocol

import grpc
import structlog

from paiju.service.refusals import Refused
from paiju.wire.tls.files import Material, Watched
from paiju.wire.tls.sockets import grpc_client
from paiju.wire.v1 import data_pb2, data_pb2_grpc, packages_pb2_grpc

CALLS: Mapping[str, str] = {
    "OpenGuest": "accounts",
    "Register": "accounts",
    "Login": "accounts",
    "Renew": "accounts",
    "Logout": "accounts",
    "ChangePassword": "accounts",
    "TicketKeys": "accounts",
    "GetWallet": "ledger",
    "ListHands": "ledger",
    "GetHand": "ledger",
    "SitDown": "ledger",
    "TopUp": "ledger",
    "StandUp": "ledger",
    "Settle": "ledger",
    "RegisterServer": "cluster",
    "Heartbeat": "cluster",
    "ClaimHost": "cluster",
    "RegisterHost": "cluster",
    "ListHosts": "cluster",
    "AllocateIds": "cluster",
    "Elsewhere": "cluster",
    "GetShards": "cluster",
    "OpenShard": "cluster",
    "Presence": "cluster",
    "FindPlayer": "cluster",
    "Report": "cluster",
    "Signal": "cluster",
    "UnheardPenalties": "cluster",
    "PenaltyHeard": "cluster",
    "GetPlans": "packages",
    "ReportGames": "packages",
}

STREAMS: Mapping[str, str] = {
    "Follow": "cluster",
    "FetchFile": "packages",
    "FollowChanges": "packages",
}

_OURS = frozenset(
    {
        grpc.StatusCode.UNAUTHENTICATED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.INVALID_ARGUMENT,
    }
)
"""A repeat would end in the same way."""

_OPTIONS = [
    ("grpc.keepalive_time_ms", 20_000),
    ("grpc.keepalive_timeout_ms", 5_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 2_000),
]
CHANNEL_GRACE_S = 30.0
_random = secrets.SystemRandom()
_log = structlog.get_logger()


class CallMetrics(Protocol):
    """Where durations and failures of calls are counted."""

    def data_seconds(self, rpc: str) -> Callable[[float], None]: ...

    def data_failed(self, rpc: str, status: str) -> None: ...


class _Address:
    def __init__(self, target: str, material: Material | None) -> None:
        self.target = target
        if material is None:
            self.channel = grpc.aio.insecure_channel(target, options=_OPTIONS)
        else:
            self.channel = grpc.aio.secure_channel(target, grpc_client(material), options=_OPTIONS)
        self.stubs: dict[str, Any] = {
            "accounts": data_pb2_grpc.AccountsStub(self.channel),
            "ledger": data_pb2_grpc.LedgerStub(self.channel),
            "cluster": data_pb2_grpc.ClusterStub(self.channel),
            "packages": packages_pb2_grpc.PackagesStub(self.channel),
        }


class DataClient:
    """Stays with one address while it answers; moves on when it does not.

    tls: our certificate and whose we accept. When the files change, new channels are made; calls
    on the older ones have `CHANNEL_GRACE_S` to end.
    """

    def __init__(
        self,
        targets: Sequence[str],
        *,
        token: str,
        metrics: CallMetrics,
        tls: Watched | None = None,
        deadline_s: float = 5.0,
        attempt_s: float = 3.0,
        backoff_s: float = 0.05,
    ) -> None:
        if not targets:
            raise ValueError("at least one data server address is needed")
        self._targets = list(targets)
        self._tls = tls
        self._version = 0
        self._closing: set[asyncio.Task[None]] = set()
        self._addresses: list[_Address] = []
        self._use_files()
        self._current = 0
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._metrics = metrics
        self._deadline_s = deadline_s
        self._attempt_s = attempt_s
        self._backoff_s = backoff_s

    async def call(self, rpc: str, request: Any, *, deadline_s: float | None = None) -> Any:
        """The reply of a call in CALLS. Raises Refused, never a gRPC error."""
        begun = time.monotonic()
        until = begun + (deadline_s or self._deadline_s)
        attempt = 0
        try:
            while True:
                self._use_files()
                address = self._addresses[self._current]
                left = until - time.monotonic()
                try:
                    method = getattr(address.stubs[CALLS[rpc]], rpc)
                    reply = await method(
                        request, timeout=min(self._attempt_s, left), metadata=self._metadata
                    )
                except grpc.aio.AioRpcError as error:
                    await self._failed(rpc, error, address, attempt, until)
                    attempt += 1
                    continue
                if "refusal" in reply.DESCRIPTOR.fields_by_name and reply.HasField("refusal"):
                    raise Refused.of(reply.refusal)
                return reply
        finally:
            self._metrics.data_seconds(rpc)(time.monotonic() - begun)

    async def _failed(
        self, rpc: str, error: grpc.aio.AioRpcError, address: _Address, attempt: int, until: float
    ) -> None:
        """Wait before the next attempt, or raise what the player is told."""
        code = error.code()
        self._metrics.data_failed(rpc, code.name)
        asked_ms = _retry_after_ms(error)
        if code is grpc.StatusCode.RESOURCE_EXHAUSTED:
            raise Refused("BUSY", retry_after_ms=asked_ms or 500) from None
        if code in _OURS:
            _log.error("data.call_wrong", rpc=rpc, status=code.name, detail=error.details())
            raise Refused("INTERNAL") from None
        if self._addresses[self._current] is address:
            self._current = (self._current + 1) % len(self._addresses)
        wait = _random.uniform(0.5, 1.5) * self._backoff_s * min(16, 2**attempt)
        if time.monotonic() + wait >= until - 0.01:
            _log.warning("data.unreachable", rpc=rpc, status=code.name, attempts=attempt + 1)
            raise Refused("RETRY", retry_after_ms=asked_ms or 1000) from None
        await asyncio.sleep(wait)

    def follow(
        self, server: str, on_open: Callable[[], None]
    ) -> AsyncGenerator[data_pb2.FollowEvent, None]:
        """What concerns the server's sessions; ends with the stream, however it ends.

        on_open: called when the stream stands, before its first event.
        """
        return self.stream("Follow", data_pb2.FollowRequest(server=server), on_open=on_open)

    async def stream(
        self, rpc: str, request: Any, *, on_open: Callable[[], None] = lambda: None
    ) -> AsyncGenerator[Any, None]:
        """The answers of a call in STREAMS; ends with the stream, however it ends.

        FileNotFoundError: there is nothing of that name.
        """
        self._use_files()
        address = self._addresses[self._current]
        method = getattr(address.stubs[STREAMS[rpc]], rpc)
        stream = method(request, metadata=self._metadata)
        try:
            await stream.initial_metadata()
            on_open()
            async for event in stream:
                yield event
        except grpc.aio.AioRpcError as error:
            if error.code() is grpc.StatusCode.NOT_FOUND:
                raise FileNotFoundError(error.details()) from None
            self._metrics.data_failed(rpc, error.code().name)
            if self._addresses[self._current] is address:
                self._current = (self._current + 1) % len(self._addresses)
        finally:
            stream.cancel()  # an abandoned call is never collected

    def _use_files(self) -> None:
        """Make the channels, at first and when the certificate files have changed."""
        material = None if self._tls is None else self._tls.current()
        version = 1 if self._tls is None else self._tls.version
        if version == self._version:
            return
        self._version = version
        older, self._addresses = self._addresses, [_Address(t, material) for t in self._targets]
        for address in older:
            task = asyncio.ensure_future(address.channel.close(CHANNEL_GRACE_S))
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)

    async def close(self) -> None:
        for task in self._closing:
            task.cancel()
        await asyncio.gather(*self._closing, return_exceptions=True)
        for address in self._addresses:
            await address.channel.close()


def _retry_after_ms(error: grpc.aio.AioRpcError) -> int:
    for key, value in error.trailing_metadata() or ():
        if key == "retry-after-ms":
            try:
                return min(60_000, max(0, int(value)))
            except ValueError:
                return 0
    return 0
