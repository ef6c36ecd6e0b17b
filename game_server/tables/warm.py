"""Everything that a host needs, imported: Ray's workers import this module while they wait.

So a host that is started again begins with replaying, not with importing (about 1.5 s of CPU).
What fails here fails again, and is told, where it is needed.
"""

from __future__ import annotations

import contextlib

with contextlib.suppress(Exception):
    import game_server.tables.process  # noqa: F401
    from paiju.rules.registry import Registry
    from paiju.service.process import tune_gc

    _registry = Registry.default()
    for _room in _registry.rooms():
        with contextlib.suppress(Exception):
            _registry.latest(_room.game, dict(_room.parameters))
    tune_gc()
