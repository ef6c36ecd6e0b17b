"""One epoch for a host's process, in its journal and in the registry."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from paiju.wire.v1 import data_pb2


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
