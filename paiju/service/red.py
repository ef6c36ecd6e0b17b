"""Rate, errors and duration of every RPC that a grpc.aio server answers.

A program's metrics.py makes the three metrics with `Red.make` and hands the interceptor to
its server. Children are looked up once per method, not once per call.
"""

from __future__ import annotations

import inspect
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any

import grpc
from prometheus_client import CollectorRegistry, Counter, Histogram, disable_created_metrics

from paiju.service import logs

# When each counter began, as a series of its own: nobody asks, and it doubles their number.
disable_created_metrics()  # type: ignore[no-untyped-call]

BUCKETS_S = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)


@dataclass(frozen=True)
class Red:
    """`calls` and `errors` by method, `seconds` by method (labels: method)."""

    calls: Counter
    errors: Counter
    seconds: Histogram

    @classmethod
    def make(cls, prefix: str, registry: CollectorRegistry) -> Red:
        return cls(
            Counter(f"{prefix}_rpc_requests", "Calls begun.", ["method"], registry=registry),
            Counter(
                f"{prefix}_rpc_errors",
                "Calls that ended with a status other than OK.",
                ["method", "status"],
                registry=registry,
            ),
            Histogram(
                f"{prefix}_rpc_seconds",
                "Duration of calls with one answer.",
                ["method"],
                buckets=BUCKETS_S,
                registry=registry,
            ),
        )


@dataclass
class RedInterceptor(grpc.aio.ServerInterceptor):
    """Measures unary calls; streams are counted at their begin and end."""

    red: Red
    _known: dict[str, Any] = field(default_factory=dict)

    async def intercept_service(
        self,
        continuation: Callable[[grpc.HandlerCallDetails], Awaitable[Any]],
        details: grpc.HandlerCallDetails,
    ) -> Any:
        handler = await continuation(details)
        method = details.method.rsplit("/", 1)[-1]
        if handler is not None and handler.unary_stream is not None:
            return self._stream(method, handler)
        if handler is None or handler.unary_unary is None:
            return handler
        children = self._known.get(method)
        if children is None:
            children = self.red.calls.labels(method), self.red.seconds.labels(method)
            self._known[method] = children
        calls, seconds = children
        inner = handler.unary_unary

        async def measured(request: Any, context: Any) -> Any:
            calls.inc()
            begun = time.perf_counter()
            op = getattr(request, "op", b"")
            logs.about.set((lambda: logs.About(op)) if op else None)
            try:
                return await inner(request, context)
            except BaseException as error:
                code = context.code()
                status = code.name if hasattr(code, "name") else type(error).__name__
                self.red.errors.labels(method, status).inc()
                raise
            finally:
                seconds.observe(time.perf_counter() - begun)

        return grpc.unary_unary_rpc_method_handler(
            measured,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )

    def _stream(self, method: str, handler: Any) -> Any:
        """Answers without end have no duration: what is counted is that they begin, and how they
        end unless it is the caller who ends them."""
        if not inspect.isasyncgenfunction(handler.unary_stream):
            return handler
        inner = handler.unary_stream

        async def measured(request: Any, context: Any) -> AsyncIterator[Any]:
            self.red.calls.labels(method).inc()
            try:
                async with aclosing(inner(request, context)) as answers:
                    async for answer in answers:
                        yield answer
            except Exception as error:
                code = context.code()
                status = code.name if hasattr(code, "name") else type(error).__name__
                self.red.errors.labels(method, status).inc()
                raise

        return grpc.unary_stream_rpc_method_handler(
            measured,
            request_deserializer=handler.request_deserializer,
            response_serializer=handler.response_serializer,
        )
