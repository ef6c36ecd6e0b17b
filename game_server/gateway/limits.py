"""The numbers of a session, with their units. What both ends must know is in wire.protocol."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """See docs/contracts/refusals.md for what a player gets who goes beyond one of them."""

    handshake_s: float = 5.0  # from the connection to the end of the sealed handshake
    hello_s: float = 5.0  # from the connection to the Hello
    open_s: float = 30.0  # from the connection to an open session
    idle_s: float = 120.0  # without any packet, once open; 0: never
    ping_every_ms: int = 20_000  # what the Welcome asks of the client

    rate_burst: float = 120.0  # tokens; costs are in commands.RULES
    rate_per_s: float = 40.0
    seats_burst: float = 30.0  # sitting down, standing up, topping up: the ledger does it
    seats_per_s: float = 1.0
    views_burst: float = 60.0  # whole views: a host builds each anew
    views_per_s: float = 3.0
    hands_burst: float = 20.0  # finished hands: the data server reads records for them
    hands_per_s: float = 0.5
    ready_burst: float = 60.0  # ready and not ready: each is a row of the journal
    ready_per_s: float = 4.0
    flood_burst: float = 200.0  # commands refused with TOO_FAST before the connection ends
    flood_per_s: float = 20.0

    place_burst: float = 1000.0  # handshakes from one place (origins.py)
    place_per_s: float = 200.0
    place_guests_burst: float = 3000.0  # guests from one place, new ones and known ones
    place_guests_per_s: float = 20.0
    place_hashes_burst: float = 200.0  # passwords from one place: each costs a hash
    place_hashes_per_s: float = 5.0
    place_share: float = 0.5  # of the quota, for one place; not for this machine's own programs
    account_burst: float = 30.0  # sessions opened or resumed by one player
    account_per_s: float = 2.0
    frames_burst: float = 300.0  # frames of one connection
    frames_per_s: float = 100.0
    bytes_burst: float = 1024 * 1024.0  # bytes of one connection
    bytes_per_s: float = 128 * 1024.0

    data_calls: int = 4  # outstanding at the data server, per session
    host_commands: int = 64  # outstanding at hosts, per session
    tables: int = 16  # subscriptions of one session
    grids: int = 4

    outbox_updates: int = 256
    outbox_bytes: int = 256 * 1024
    overflow_window_s: float = 30.0  # a second overflow within it ends the connection
    stall_s: float = 30.0  # a packet that the player's side does not take for so long, too

    seated_s: float = 0.3  # from Seated to the table's snapshot, else it is asked for
    rewatch_min_s: float = 0.1  # back-off of subscribing again after a stream was cut
    rewatch_max_s: float = 2.0
