"""`python -m hall_client.web`: http on the loopback and, with a certificate, https."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import structlog
import uvicorn
from starlette.applications import Starlette

from hall_client.terminal import places
from hall_client.tls import Tls
from hall_client.web.app import make_app
from hall_client.web.news import News
from hall_client.web.robots import Robots
from hall_client.web.settings import WebSettings
from paiju.service import logs
from paiju.service.settings import BadSettings, load
from paiju.wire.server_keys import decode

STATE = "web.json"
_log = structlog.get_logger()


class _Server(uvicorn.Server):
    """Signals are handled once for all of us, not by each server."""

    def install_signal_handlers(self) -> None:
        pass

    @contextlib.contextmanager
    def capture_signals(self) -> Any:
        yield


class WebHall:
    def __init__(self, settings: WebSettings) -> None:
        self._settings = settings
        self._robots: Robots | None = None

    async def run(self) -> None:
        """Until SIGTERM. Raises OSError when a port is taken."""
        settings = self._settings
        app = make_app(
            self._state,
            self._company,
            lambda catalogue: News(
                self._hall,
                catalogue,
                settings.data_dir / "web-packages",
            ),
        )
        sockets: list[tuple[str, socket.socket, _Server]] = []
        if settings.web_listen:
            sockets.append(("http", *self._server(app, settings.web_listen, secure=False)))
        if settings.web_tls_listen:
            sockets.append(("https", *self._server(app, settings.web_tls_listen, secure=True)))
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self._stop, [server for _, _, server in sockets])
        pages = [f"{scheme}://{_name(bound)}/" for scheme, bound, _ in sockets]
        state = settings.data_dir / STATE
        draft = state.with_suffix(".new")
        draft.write_text(json.dumps({"pid": os.getpid(), "pages": pages}), "utf-8")
        draft.replace(state)  # whoever waits for the file finds it whole
        _log.info("web.ready", pages=pages)
        try:
            await asyncio.gather(*(s.serve(sockets=[bound]) for _, bound, s in sockets))
        finally:
            state.unlink(missing_ok=True)

    def _server(
        self, app: Starlette, listen: str, *, secure: bool
    ) -> tuple[socket.socket, _Server]:
        host, _, port = listen.rpartition(":")
        host = host.strip("[]")
        bound = socket.create_server(
            (host, int(port)), family=socket.AF_INET6 if ":" in host else socket.AF_INET
        )
        settings = self._settings
        config = uvicorn.Config(
            app,
            log_config=None,
            access_log=False,
            server_header=False,
            limit_concurrency=200,
            timeout_graceful_shutdown=3,
            lifespan="off" if secure and settings.web_listen else "on",
            ssl_certfile=str(settings.tls_certificate) if secure else None,
            ssl_keyfile=str(settings.tls_key) if secure else None,
        )
        return bound, _Server(config)

    @staticmethod
    def _stop(servers: list[_Server]) -> None:
        for server in servers:
            server.should_exit = True

    def _state(self) -> dict[str, Any] | None:
        """As set; else read anew each time: a hall that starts again has other ports."""
        settings = self._settings
        if settings.web_gateways:
            return {
                "web_gateways": list(settings.web_gateways),
                "server_keys": list(settings.web_server_keys),
            }
        try:
            found: dict[str, Any] = json.loads(
                (self._settings.data_dir / places.STATE_FILE).read_text("utf-8")
            )
        except (OSError, ValueError):
            return None
        return found if "web_gateways" in found else None

    def _hall(self) -> places.Hall | None:
        """Where our own clients go; None while no hall runs."""
        settings = self._settings
        if not settings.web_gateways:
            return places.running_hall(settings.data_dir)
        return places.Hall(
            gateways=settings.web_gateways,
            server_keys=tuple(decode(key) for key in settings.web_server_keys),
            tls=Tls() if settings.web_ca is None else Tls.load(settings.web_ca),
        )

    def _company(self) -> Robots | None:
        if self._robots is None and self._settings.web_robots:
            hall = self._hall()
            if hall is not None:
                self._robots = Robots(
                    hall,
                    most=self._settings.web_robots,
                    think_s=self._settings.web_robots_think_s,
                )
        return self._robots


def _name(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def main() -> None:
    try:
        settings = load(WebSettings)
    except BadSettings as error:
        sys.exit(f"web: {error}")
    serve(settings)


def serve(settings: WebSettings) -> None:
    """Until SIGTERM. Raises OSError when a port is taken."""
    logs.configure("web", level=settings.log_level)
    Path(settings.data_dir).mkdir(parents=True, exist_ok=True)
    asyncio.run(WebHall(settings).run())
