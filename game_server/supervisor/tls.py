"""The certificate files of a game server, looked at before anything is started."""

from __future__ import annotations

from game_server.supervisor.settings import GameServerSettings
from paiju.service.settings import BadSettings
from paiju.wire.tls import files
from paiju.wire.tls.files import BadTls, Watched
from paiju.wire.tls.identity import GAME_SERVER, NotYours, identity_of


def check(settings: GameServerSettings) -> Watched | None:
    """Those for other servers; None: without TLS. Raises BadSettings for any that are wrong.

    A certificate for another server or cell would be refused by everybody: say so here.
    """
    try:
        edge = settings.edge_files()
        if edge is not None:
            files.read(edge)
        peers = settings.peer_files()
        if peers is None:
            return None
        watched = Watched(peers)
        named = identity_of(watched.current().leaf)
    except BadTls as bad:
        raise BadSettings(str(bad)) from None
    except NotYours:
        raise BadSettings(
            f"{settings.peer_certificate} names nobody; `paiju admin certificates issue` makes one"
        ) from None
    wanted = (settings.cell, GAME_SERVER, settings.server)
    if (named.cell, named.role, named.name) != wanted:
        raise BadSettings(
            f"{settings.peer_certificate} is of {named.role} {named.name} in {named.cell}, "
            f"this is {GAME_SERVER} {settings.server} in {settings.cell}"
        )
    return watched
