"""The web hall's answers: the page's files, where the hall is, robots.

| path | answer |
|---|---|
| `/` | the page |
| `/a/TAG/...` | its files, for ever the same under this address |
| `/p/PACKAGE/SHA256/...` | client parts of game packages, likewise; never their rules |
| `/sw.js` | the service worker: only tells, without a connection, that there is none |
| `/hall.json` | gateways that this page can reach, the keys it must pin, the games |
| `/words.json` | what the games call things, in English and Chinese |
| `/wire.binpb` | the descriptors of the messages (a FileDescriptorSet) |
| `POST /robots` | robots sit down at a table: `{"room", "shard", "table", "key"}` |
| `POST /advice` | a hint for the view that is sent: `{"hint", "lines"}` |
| `POST /replay?seat=N` | the boards of a seat in the record that is sent (zlib, see replays.py) |
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from google.protobuf.descriptor import FileDescriptor
from google.protobuf.descriptor_pb2 import FileDescriptorSet
from starlette.applications import Starlette
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hall_client.errors import HallError
from hall_client.terminal import vocabulary
from hall_client.web.advice import MAX_VIEW_BYTES, Advice, NoAdvice
from hall_client.web.catalogue import Catalogue
from hall_client.web.news import News
from hall_client.web.pages import Pages, media_type
from hall_client.web.replays import MAX_PACKED_BYTES, NoReplay, Replays
from hall_client.web.robots import Robots, TooManyRobots
from paiju.rules.registry import Registry
from paiju.wire.v1 import common_pb2, hall_pb2

MAX_BODY_BYTES = 1024
SMALLEST_ZIPPED_BYTES = 500
WORDS = {
    "facts": vocabulary.FACTS,
    "columns": vocabulary.COLUMNS,
    "roles": vocabulary.ROLES,
    "verbs": vocabulary.VERBS,
    "values": vocabulary.VALUES,
    "events": vocabulary.EVENTS,
    "silent": sorted(vocabulary.SILENT),
    "seats_in": sorted(vocabulary.SEATS_IN),
}
"""One table of words for the terminal and the page."""
FOR_EVER = "public, max-age=31536000, immutable"
HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
}


def policy(inline_scripts: list[str]) -> str:
    """What the page may do: its own files, sockets, nothing of others."""
    scripts = " ".join(["'self'", *inline_scripts])
    return (
        f"default-src 'none'; script-src {scripts}; style-src 'self'; img-src 'self' data:; "
        "connect-src 'self' ws: wss:; manifest-src 'self'; worker-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


HallState = Callable[[], dict[str, Any] | None]
"""The running hall's state file, None while none runs."""


def make_app(
    state: HallState,
    robots: Callable[[], Robots | None],
    make_news: Callable[[Catalogue], News] | None = None,
) -> Starlette:
    """robots: who sits down when asked; None: nobody. make_news: who gets what is published
    later; None: nobody does."""

    registry = Registry.default()
    pages, catalogue, advice = Pages(), Catalogue(registry), Advice(registry)
    replays = Replays(registry)
    news = make_news(catalogue) if make_news is not None else None

    async def index(request: Request) -> Response:
        return HTMLResponse(pages.index)

    async def worker(request: Request) -> Response:
        return Response(pages.worker, media_type="text/javascript")

    async def own_file(request: Request) -> Response:
        name = request.path_params["name"]
        return _kept(name, pages.file(request.path_params["tag"], name))

    async def package_file(request: Request) -> Response:
        at = request.path_params
        return _kept(at["name"], catalogue.file(at["package"], at["digest"], at["name"]))

    async def hall(request: Request) -> Response:
        found = state()
        if found is None:
            return PlainTextResponse("no hall is running", 503)
        gateways = gateways_for(
            found["web_gateways"],
            secure=request.url.scheme == "https",
            host=request.url.hostname or "",
        )
        if news is not None:
            news.look()
        return JSONResponse(
            {
                "gateways": gateways,
                "server_keys": found["server_keys"],
                "games": catalogue.shown(),
                "packages": catalogue.packages(),
            }
        )

    async def words(request: Request) -> Response:
        return JSONResponse(WORDS)

    async def wire(request: Request) -> Response:
        return Response(descriptors(), media_type="application/octet-stream")

    async def call_robots(request: Request) -> Response:
        return await _call_robots(request, robots())

    async def advise(request: Request) -> Response:
        return await _advise(request, advice)

    async def replay(request: Request) -> Response:
        return await _replay(request, replays)

    @asynccontextmanager
    async def life(_: Starlette) -> AsyncIterator[None]:
        yield
        made = robots()
        if made is not None:
            await made.close()
        if news is not None:
            await news.close()

    app = Starlette(
        routes=[
            Route("/", index),
            Route("/sw.js", worker),
            Route("/a/{tag}/{name:path}", own_file),
            Route("/p/{package}/{digest}/{name:path}", package_file),
            Route("/hall.json", hall),
            Route("/words.json", words),
            Route("/wire.binpb", wire),
            Route("/robots", call_robots, methods=["POST"]),
            Route("/advice", advise, methods=["POST"]),
            Route("/replay", replay, methods=["POST"]),
        ],
        lifespan=life,
    )
    headers = {"Content-Security-Policy": policy(pages.inline_scripts), **HEADERS}
    app.add_middleware(GZipMiddleware, minimum_size=SMALLEST_ZIPPED_BYTES)
    app.add_middleware(_Headers, headers=headers)
    return app


def _kept(name: str, content: bytes | None) -> Response:
    """A file that never changes under its address."""
    if content is None:
        return PlainTextResponse("no such file", 404)
    return Response(content, media_type=media_type(name), headers={"Cache-Control": FOR_EVER})


async def _advise(request: Request, advice: Advice) -> Response:
    if request.headers.get("content-type") != "application/json":
        return PlainTextResponse("application/json is needed", 415)
    try:
        view = json.loads(await _body(request, MAX_VIEW_BYTES))
        return JSONResponse(await advice.give(view))
    except (ValueError, RecursionError):
        return PlainTextResponse("not a view", 400)
    except NoAdvice as error:
        return PlainTextResponse(str(error), 409)


async def _replay(request: Request, replays: Replays) -> Response:
    if request.headers.get("content-type") != "application/octet-stream":
        return PlainTextResponse("application/octet-stream is needed", 415)
    try:
        data = await _body(request, MAX_PACKED_BYTES)
        seat = int(request.query_params.get("seat", "0"))
        names = request.query_params.getlist("name")
        return JSONResponse(await replays.give(data, seat, names))
    except ValueError:
        return PlainTextResponse("not a record", 400)
    except NoReplay as error:
        return PlainTextResponse(str(error), 409)


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
        key = str(body.get("key", ""))
    except (ValueError, KeyError, TypeError, AttributeError):
        return PlainTextResponse("not a table", 400)
    try:
        return JSONResponse({"robots": await robots.fill(ref, key=key)})
    except TooManyRobots:
        return PlainTextResponse("all robots are playing", 429)
    except (HallError, TimeoutError) as error:
        return PlainTextResponse(str(error), 409)


async def _body(request: Request, most: int = MAX_BODY_BYTES) -> bytes:
    """Raises ValueError for one that is too large."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > most:
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
    """The same headers on every answer; what says nothing of caching is asked for anew."""

    def __init__(self, app: ASGIApp, *, headers: dict[str, str]) -> None:
        self._app = app
        self._more = [(k.lower().encode(), v.encode()) for k, v in headers.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                present = list(message["headers"])
                if not any(name == b"cache-control" for name, _ in present):
                    present.append((b"cache-control", b"no-cache"))
                message["headers"] = [*present, *self._more]
            await send(message)

        await self._app(scope, receive, with_headers if scope["type"] == "http" else send)
