"""One epoch for a host's process, in its journal and in the registry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

from paiju.service.refusals import Refused
from paiju.wire.v1 import data_pb2

WATCH_S = 10.0


async def agree(
    epoch: int,
    *,
    register: Callable[[int], Awaitable[data_pb2.RegisterHostReply]],
    take_over: Callable[[int], Awaitable[int]],
) -> data_pb2.RegisterHostReply:
    """Until journal and registry have the same epoch for this process; what registering said.

    epoch: the journal's. register: proposes one; the reply's is that or a higher one.
    take_over: raises the journal's at least so far; another process of this host may have
    raised it, too, so it may come out higher than asked for. Gateways come with the
    registry's: a host with another one would be alone for ever.
    """
    while True:
        reply = await register(epoch)
        if reply.epoch == epoch:
            return reply
        epoch = await take_over(reply.epoch)
        if reply.epoch == epoch:
            return reply


async def watch(
    host: str,
    epoch: int,
    *,
    list_hosts: Callable[[data_pb2.ListHostsRequest], Awaitable[data_pb2.ListHostsReply]],
    on_outdated: Callable[[], None],
    every_s: float = WATCH_S,
) -> None:
    """For ever: look whether the registry has a newer epoch of this host.

    An attempt to register that was given up, by us or by a process before us, may arrive late:
    then the registry leads to an epoch, or to an address, that nobody serves. A host that has
    nothing to ask of the ledger would never hear of it, and no player would ever come.
    """
    while True:
        await asyncio.sleep(every_s)
        try:
            reply = await list_hosts(data_pb2.ListHostsRequest(host=host))
        except Refused:
            continue
        if any(found.host == host and found.epoch > epoch for found in reply.hosts):
            on_outdated()
