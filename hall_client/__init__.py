"""The hall client: a library for programs, bots, a load driver and the terminal hall."""

import paiju  # noqa: F401  # before gRPC: it says why
from hall_client.channels import ChannelPool
from hall_client.client import HallClient
from hall_client.errors import (
    ClientClosed,
    ConnectionFailed,
    HallError,
    Kicked,
    OutcomeUnknown,
    Refused,
    Replaced,
    SessionEnded,
    TableLeft,
    TicketRefused,
)
from hall_client.table import TableHandle
from hall_client.tls import Tls

__all__ = [
    "ChannelPool",
    "ClientClosed",
    "ConnectionFailed",
    "HallClient",
    "HallError",
    "Kicked",
    "OutcomeUnknown",
    "Refused",
    "Replaced",
    "SessionEnded",
    "TableHandle",
    "TableLeft",
    "TicketRefused",
    "Tls",
]
