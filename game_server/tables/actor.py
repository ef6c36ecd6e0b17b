"""The Ray actor around a table host. Thin: Ray starts it, names it and starts it again."""

from __future__ import annotations

from typing import Any


class HostActor:
    """config: the fields of HostConfig. The constructor returns when the host listens.

    Imports happen inside, because an actor's class travels to its process by pickling.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        from game_server.tables import memory, warm
        from game_server.tables.config import HostConfig
        from game_server.tables.process import HostProcess

        warm.taken.set()
        made = HostConfig(**config)
        memory.limit(made.memory_mb)
        self._process = HostProcess(made)
        self._process.start()

    def info(self) -> dict[str, Any]:
        return self._process.info()

    def drain(self, on: bool) -> None:
        self._process.drain(on)

    def leave(self) -> None:
        self._process.leave()

    def stop(self, hand_over: bool = False) -> None:
        self._process.stop(hand_over=hand_over)
