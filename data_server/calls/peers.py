"""Whose certificate may call, and in whose name: with mutual TLS only (docs/contracts/tls.md).

Behind the token, which only says that a caller belongs to the hall. The certificate says which
game server it is; a request that names another server, gateway, cell or host is refused before
anything is done. Health and reflection need a certificate of the authorities, of any role.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass, field
from typing import Any

import grpc
import structlog
from cryptography import x509

from data_server.calls.auth import OPEN
from data_server.metrics import Metrics
from paiju.wire.tls.identity import Identity, NotYours, check_claims, identity_of

log = structlog.get_logger()
REMEMBERED = 4096
"""Connections that have called, and certificates that were read."""


async def _none(_: str) -> Collection[str]:
    return ()


@dataclass
class PeerInterceptor(grpc.aio.ServerInterceptor):
    """roles: whose certificates may call. own_name: whether requests must be in it. kept: asked
    for the hosts of other names that a server was given, when a request names such a one."""

    roles: Collection[str]
    own_name: bool
    metrics: Metrics
    kept: Callable[[str], Awaitable[Collection[str]]] = _none
    _known: OrderedDict[bytes, Identity] = field(default_factory=OrderedDict)
    _called: OrderedDict[str, None] = field(default_factory=OrderedDict)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(details)
        if handler is None or details.method.startswith(OPEN):
            return handler
        if handler.unary_unary is not None:
            answer = handler.unary_unary

            async def unary(request: Any, context: Any) -> Any:
                await self._check(request, context)
                return await answer(request, context)

            return grpc.unary_unary_rpc_method_handler(
                unary,
                request_deserializer=handler.request_deserializer,
                response_serializer=handler.response_serializer,
            )
        answers = handler.unary_stream

        async def stream(request: Any, context: Any) -> Any:
            await self._check(request, context)
            async for one in answers(request, context):
                yield one

        return grpc.unary_stream_rpc_method_handler(
            stream,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    async def _check(self, request: Any, context: Any) -> None:
        """Aborts the call with PERMISSION_DENIED when it is not this peer's to make."""
        self._count(context.peer())
        try:
            identity = self._identity(context.auth_context())
            if identity.role not in self.roles:
                raise NotYours("role")
            if self.own_name:
                await self._check_name(identity, request)
        except NotYours as refused:
            self.metrics.peer_refused(refused.reason)
            log.warning("peer.refused", reason=refused.reason, request=request.DESCRIPTOR.name)
            await context.abort(
                grpc.StatusCode.PERMISSION_DENIED, f"not with this certificate: {refused.reason}"
            )

    async def _check_name(self, identity: Identity, request: Any) -> None:
        try:
            check_claims(identity, request)
        except NotYours as refused:
            if refused.reason != "host":
                raise
            check_claims(identity, request, kept=await self.kept(identity.name))

    def _identity(self, auth: Any) -> Identity:
        pems = auth.get("x509_pem_cert") or [b""]
        pem = bytes(pems[0])
        known = self._known.get(pem)
        if known is None:
            try:
                certificate = x509.load_pem_x509_certificate(pem)
            except ValueError:
                raise NotYours("unnamed") from None
            known = self._known[pem] = identity_of(certificate)
            if len(self._known) > REMEMBERED:
                self._known.popitem(last=False)
        return known

    def _count(self, peer: str) -> None:
        """The first call of a connection."""
        if peer in self._called:
            return
        self._called[peer] = None
        self.metrics.tls_peers.inc()
        if len(self._called) > REMEMBERED:
            self._called.popitem(last=False)
