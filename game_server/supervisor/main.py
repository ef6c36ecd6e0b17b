"""The game server as a process: settings, folders, lock, leftovers, then the supervisor."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from typing import NoReturn

from game_server.supervisor import folders as places
from game_server.supervisor import leftovers, ray_env, sweep
from game_server.supervisor.settings import GameServerSettings
from paiju.service.settings import BadSettings, load


def serve(settings: GameServerSettings) -> NoReturn:
    """Serve until SIGTERM or SIGINT, then end the process. Raises BadSettings."""
    folders = places.prepare(settings)
    lock = places.Lock(folders.data / "game-server.lock", what="game server")
    lock.take()
    leftovers.clear(folders)
    sweep.claim(folders.run)
    sweep.sweep()
    ray_env.apply(ray_env.environment(settings, folders))
    from game_server.supervisor.supervisor import Supervisor

    asyncio.run(Supervisor(settings, folders).run())
    if settings.run_dir is None:  # made by us for this run: sockets, Ray's session
        shutil.rmtree(folders.run, ignore_errors=True)
    sys.stdout.flush()
    sys.stderr.flush()
    # Ray's threads may still wait for something that has ended.
    os._exit(0)


def main() -> int:
    try:
        settings = load(GameServerSettings)
        settings.configure_logs()
        serve(settings)
    except (BadSettings, ValueError) as error:
        print(f"game server: {error}", file=sys.stderr)  # noqa: T201
        return 2
    except RuntimeError as error:
        print(f"game server: {error}", file=sys.stderr)  # noqa: T201
        return 1
