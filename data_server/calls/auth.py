"""Who may call: a shared token in the metadata, compared in constant time."""

from __future__ import annotations

import hmac
from collections.abc import Awaitable, Callable
from typing import Any

import grpc

OPEN = ("/grpc.health.v1.Health/", "/grpc.reflection.")


class BearerInterceptor(grpc.aio.ServerInterceptor):
    """Lets calls pass that show `authorization: Bearer TOKEN`; health and reflection always."""

    def __init__(self, token: str) -> None:
        self._wanted = f"Bearer {token}".encode()
        self._refuse: Any = grpc.unary_unary_rpc_method_handler(_unauthenticated)
        self._refuse_stream: Any = grpc.unary_stream_rpc_method_handler(_unauthenticated_stream)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(details)
        if handler is None or details.method.startswith(OPEN) or self._shown(details):
            return handler
        return self._refuse_stream if handler.response_streaming else self._refuse

    def _shown(self, details: grpc.HandlerCallDetails) -> bool:
        for name, value in details.invocation_metadata or ():
            if name == "authorization":
                shown = value if isinstance(value, bytes) else value.encode()
                return hmac.compare_digest(shown, self._wanted)
        return False


async def _unauthenticated(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is missing or wrong")


async def _unauthenticated_stream(_: Any, context: grpc.aio.ServicerContext[Any, Any]) -> None:
    await context.abort(grpc.StatusCode.UNAUTHENTICATED, "the token is missing or wrong")
