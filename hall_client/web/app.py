"""The web hall's answers: the page's files, where the hall is, robots.

| path | answer |
|---|---|
| `/` and files | `hall_client/webapp`, as they are |
| `/hall.json` | gateways that this page can reach, and the keys it must pin |
| `/wire.binpb` | the descriptors of the messages (a FileDescriptorSet) |
| `POST /robots` | robots sit down at a table: `{"room", "shard", "table"}` |
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hall_client.errors import HallError
from hall_client.web.robots import Robots, TooManyRobots
from paiju.wire.v1 import common_pb2, hall_pb2

WEBAPP = Path(__file__).resolve().parent.parent / "webapp"
MAX_BODY_BYTES = 1024
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self' ws: wss:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-cache",
}

HallState = Callable[[], dict[str, Any] | None]
"""The running hall's state file, None while none runs."""


def make_app(state: HallState, robots: Callable[[], Robots | None]) -> Starlette:
    """robots: who sits down when asked; None: nobody."""

    async def hall(request: Request) -> Response:
        found = state()
        if found is None:
            return PlainTextResponse("no hall is running", 503)
        gateways = gateways_for(
            found["web_gateways"],
            secure=request.url.scheme == "https",
            host=request.url.hostname or "",
        )
        return JSONResponse({"gateways": gateways, "server_keys": found["server_keys"]})

    async def wire(request: Request) -> Response:
        return Response(descriptors(), media_type="application/octet-stream")

    async def call_robots(request: Request) -> Response:
        return await _call_robots(request, robots())

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        made = robots()
        if made is not None:
            await made.close()

    app = Starlette(
        routes=[
            Route("/hall.json", hall),
            Route("/wire.binpb", wire),
            Route("/robots", call_robots, methods=["POST"]),
            Mount("/", StaticFiles(directory=WEBAPP, html=True)),
        ],
        lifespan=life,
    )
    app.add_middleware(_Headers)
    return app


async def _call_robots(request: Request, robots: Robots | None) -> Response:
    """Only for our own page: another site's cannot send this content type unasked."""
    if request.headers.get("content-type") != "application/json":
        return PlainTextResponse("application/json is needed", 415)
    if robots is None:
        return PlainTextResponse("no robots here", 404)
    try:
        body = json.loads(await _body(request))
        ref = common_pb2.TableRef(
            room=str(body["room"]), shard=int(body["shard"]), table=int(body["table"])
        )
    except (ValueError, KeyError, TypeError):
        return PlainTextResponse("not a table", 400)
    try:
        return JSONResponse({"robots": await robots.fill(ref)})
    except TooManyRobots:
        return PlainTextResponse("all robots are playing", 429)
    except (HallError, TimeoutError) as error:
        return PlainTextResponse(str(error), 409)


async def _body(request: Request) -> bytes:
    """Raises ValueError for one that is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY_BYTES:
            raise ValueError("too large")
    return body


def gateways_for(gateways: list[str], *, secure: bool, host: str) -> list[str]:
    """Those a page of this kind may open, by the host name under which the page was found.

    A secure page may only open secure sockets; a browser does not resolve our loopback.
    """
    scheme = "wss" if secure else "ws"
    found = []
    for url in gateways:
        parts = urlsplit(url)
        if parts.scheme != scheme:
            continue
        if parts.hostname in ("127.0.0.1", "::1") and host and ":" not in host:
            parts = parts._replace(netloc=f"{host}:{parts.port}")
        found.append(urlunsplit(parts))
    return found


def descriptors() -> bytes:
    """hall.proto and what it imports, dependencies first."""
    ordered: dict[str, FileDescriptor] = {}

    def add(file: FileDescriptor) -> None:
        for needed in file.dependencies:
            add(needed)
        ordered.setdefault(file.name, file)

    add(hall_pb2.DESCRIPTOR)
    out = FileDescriptorSet()
    for file in ordered.values():
        file.CopyToProto(out.file.add())
    return out.SerializeToString()


class _Headers:
    """The same headers on every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._more = [(k.lower().encode(), v.encode()) for k, v in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._more]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
