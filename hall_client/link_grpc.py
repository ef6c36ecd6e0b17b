"""A link over gRPC: one call of Hall.Play.

The call is always cancelled at the end, since one that is merely forgotten is never collected.
"""

from __future__ import annotations

import asyncio

import grpc

from hall_client.channels import ChannelPool
from hall_client.link import LinkLost
from paiju.wire.v1 import hall_pb2


class GrpcLink:
    """See link.Link."""

    def __init__(self, address: str, pool: ChannelPool) -> None:
        self._pool = pool
        self._lease = pool.lease(address)
        self._call: grpc.aio.StreamStreamCall[hall_pb2.Packet, hall_pb2.Packet] = (
            self._lease.stub.Play()
        )

    async def open(self) -> None:
        """gRPC connects by itself; what goes wrong is said by `read` and `write`."""

    async def read(self) -> bytes | None:
        try:
            packet = await self._call.read()
        except grpc.aio.AioRpcError as error:
            raise LinkLost(f"{error.code().name}: {error.details()}") from None
        except asyncio.CancelledError:
            raise self._cancelled() from None
        return packet.data if isinstance(packet, hall_pb2.Packet) else None

    async def write(self, frame: bytes) -> None:
        try:
            await self._call.write(hall_pb2.Packet(data=frame))
        except (grpc.aio.AioRpcError, asyncio.InvalidStateError) as error:
            raise LinkLost(str(error)) from None
        except asyncio.CancelledError:
            raise self._cancelled() from None

    def cut(self) -> None:
        self._call.cancel()

    async def close(self) -> None:
        self._call.cancel()
        self._pool.release(self._lease)

    def _cancelled(self) -> BaseException:
        """A cancelled call looks like a cancelled task; only the former is a lost link."""
        task = asyncio.current_task()
        if not self._call.cancelled() or (task is not None and task.cancelling()):
            return asyncio.CancelledError()
        return LinkLost("cut")
