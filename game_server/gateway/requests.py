"""What the session sends on: a player's command as a call, or as a command to a host."""

from __future__ import annotations

from typing import Any

from google.protobuf.message import Message

from game_server.gateway.commands import OWN_KINDS
from game_server.gateway.context import Context
from game_server.gateway.effects import AskData, CheckTicket, Effect, Join, ToHost
from game_server.gateway.pending import Pending
from game_server.gateway.player import Player
from paiju.service.ids import op_time_us
from paiju.service.refusals import Refused
from paiju.wire import protocol
from paiju.wire.v1 import data_pb2, hall_pb2, host_pb2


def check_op(op: bytes) -> None:
    """Raises Refused(OP_REQUIRED) unless `op` is a UUIDv7 in 16 bytes."""
    try:
        op_time_us(op)
    except ValueError:
        raise Refused("OP_REQUIRED") from None


def welcome(context: Context) -> hall_pb2.Welcome:
    return hall_pb2.Welcome(
        major=protocol.MAJOR,
        minor=protocol.MINOR,
        server_time_us=context.wall_us(),
        minimum_build=context.minimum_build,
        max_packet_bytes=protocol.MAX_PACKET_BYTES,
        ping_every_ms=context.limits.ping_every_ms,
        server=context.server,
        gateway=context.gateway,
    )


def to_data(
    ref: int,
    kind: str,
    op: bytes,
    body: Any,
    *,
    origin: data_pb2.Origin,
    player: Player | None,
    locale: str,
) -> Effect:
    """The call that carries out a command of route DATA."""
    if kind == "resume":
        return CheckTicket(ref, body, op)
    if player is None:
        return _open(ref, kind, op, body, origin=origin, locale=locale)
    request: Message
    match kind:
        case "renew":
            request = data_pb2.RenewRequest(op=op, origin=origin, refresh_token=body.refresh_token)
            return AskData(ref, "Renew", request, opens=True)
        case "change_password":
            request = data_pb2.ChangePasswordRequest(
                op=op,
                origin=origin,
                player=player.id,
                session_epoch=player.epoch,
                old_password=body.old_password,
                new_password=body.new_password,
            )
            return AskData(ref, "ChangePassword", request, opens=True)
        case "logout":
            request = data_pb2.LogoutRequest(
                origin=origin, player=player.id, session_epoch=player.epoch
            )
            return AskData(ref, "Logout", request)
        case "get_wallet":
            return AskData(ref, "GetWallet", data_pb2.GetWalletRequest(player=player.id))
        case "list_hands":
            hands = data_pb2.ListHandsRequest(player=player.id, before_us=body.before_us)
            return AskData(ref, "ListHands", hands)
        case "get_hand":
            hand = data_pb2.GetHandRequest(player=player.id, table=body.table, hand=body.hand)
            return AskData(ref, "GetHand", hand)
        case "heard":
            told = data_pb2.PenaltyHeardRequest(player=player.id, penalty=body.penalty)
            return AskData(ref, "PenaltyHeard", told)
        case "report" if body.kind in OWN_KINDS:
            signal = data_pb2.SignalRequest(
                op=op,
                source=data_pb2.SIGNAL_CLIENT,
                player=player.id,
                session_epoch=player.epoch,
                kind=body.kind,
                detail=body.detail,
                server=origin.server,
                gateway=origin.gateway,
            )
            return AskData(ref, "Signal", signal)
        case "report":
            request = data_pb2.ReportRequest(
                op=op, server=origin.server, reporter=player.id, report=body
            )
            return AskData(ref, "Report", request)
    raise AssertionError(f"{kind} is no command for the data server")


def _open(
    ref: int, kind: str, op: bytes, body: Any, *, origin: data_pb2.Origin, locale: str
) -> Effect:
    request: Message
    match kind:
        case "open_guest":
            request = data_pb2.OpenGuestRequest(
                op=op,
                origin=origin,
                device_secret=body.device_secret,
                name=body.name,
                locale=locale,
            )
            return AskData(ref, "OpenGuest", request, opens=True)
        case "register":
            request = data_pb2.RegisterRequest(
                op=op, origin=origin, name=body.name, password=body.password
            )
            return AskData(ref, "Register", request, opens=True)
        case "login":
            request = data_pb2.LoginRequest(origin=origin, name=body.name, password=body.password)
            return AskData(ref, "Login", request, opens=True)
    raise AssertionError(f"{kind} opens no session")


def host_command(
    kind: str, player: Player, op: bytes, body: Message, *, shard: int = 0
) -> host_pb2.HostCommand:
    """A command in the name of the player; the stream it goes on sets `id`."""
    fields: dict[str, Any] = {kind: body}
    return host_pb2.HostCommand(
        player=player.id,
        session_epoch=player.epoch,
        connection=player.connection,
        name=player.name,
        op=op,
        shard=shard,
        **fields,
    )


def to_host(ref: int, where: Pending, player: Player, op: bytes, body: Message) -> ToHost:
    return ToHost(ref, where.room, where.shard, host_command(where.kind, player, op, body))


def join(ref: int, player: Player, op: bytes, body: hall_pb2.QuickJoin) -> Join:
    return Join(ref, body.room, host_command("quick_join", player, op, body))
