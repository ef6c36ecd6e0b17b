"""A player's way through the gateway: guest, quick join, act, updates, resume."""

from __future__ import annotations

import asyncio

from paiju.wire.v1 import common_pb2, data_pb2, hall_pb2

from .conftest import ROOM, World, until


async def test_guest_joins_acts_and_sees_the_updates(world: World) -> None:
    client = world.client()
    session = await client.guest()
    assert session.profile.player == 101
    table = await client.join()
    assert client.snapshots() == [1]
    command = client.act(table, "call 3")
    await client.send(command)
    answer = await client.answer(command.id)
    assert answer.acted.seq == 2
    await until(lambda: client.steps() == [2])
    sent = world.host.log[-1]
    assert (sent.player, sent.session_epoch, sent.name) == (101, 1, "p101")
    assert sent.op == command.op
    assert world.gateway.sessions == 1
    await until(lambda: world.data.presence.get(101) is True)
    client.stop()
    await until(lambda: world.host.kinds()[-1] == "gone")
    await until(lambda: world.data.presence.get(101) is False)
    assert world.gateway.sessions == 0


async def test_commands_of_one_packet_leave_in_one_frame_and_come_back_in_one(
    world: World,
) -> None:
    client = world.client()
    await client.guest()
    table = await client.join()
    frames, packets = world.host.frames, client.packets
    commands = [client.act(table) for _ in range(8)]
    await client.send(*commands)
    await until(lambda: len(client.steps()) == 8)
    assert world.host.frames == frames + 1
    assert client.packets - packets <= 8
    assert [c.WhichOneof("body") for c in world.host.log[-8:]] == ["act"] * 8


async def test_resume_brings_exactly_what_is_missing(world: World) -> None:
    first = world.client()
    session = await first.guest()
    table = await first.join()
    await first.send(first.act(table))
    await until(lambda: first.steps() == [2])
    first.stop()
    await until(lambda: world.host.kinds()[-1] == "gone")
    for _ in range(3):
        world.host.step(table.table)

    second = world.client()
    await second.hello()
    cursor = common_pb2.Cursor(table=table, epoch=1, seq=2)
    answer = await second.ask(
        resume=hall_pb2.Resume(ticket=session.ticket, connection=1, cursors=[cursor])
    )
    assert answer.session.profile.player == 101
    assert answer.session.connection == 1
    assert answer.session.session_epoch == session.session_epoch
    assert not answer.session.refresh_token
    await until(lambda: second.steps() == [3, 4, 5])
    assert not second.snapshots()
    assert second.updates[0].answer.HasField("welcome")
    assert second.updates[1].answer.HasField("session")
    assert world.host.log[-1].connection == 1
    world.host.step(table.table)
    await until(lambda: second.steps() == [3, 4, 5, 6])


async def test_a_resume_needs_no_data_server_once_the_key_is_known(world: World) -> None:
    one = world.client()
    session = await one.guest()
    two = world.client()
    await two.hello()
    await two.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=1))
    world.data.down = True
    three = world.client()
    await three.hello()
    cursor = common_pb2.Cursor(
        table=common_pb2.TableRef(room=ROOM, shard=0, table=500), epoch=1, seq=1
    )
    answer = await three.ask(
        resume=hall_pb2.Resume(ticket=session.ticket, connection=2, cursors=[cursor])
    )
    assert answer.session.connection == 2


async def test_a_resume_without_cursors_tells_the_seats(world: World) -> None:
    one = world.client()
    session = await one.guest()
    two = world.client()
    await two.hello()
    answer = await two.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=1))
    assert [seat.table for seat in answer.session.seats] == [500]
    await until(lambda: one.ended)
    assert one.notices() == ["REPLACED"]


async def test_a_ticket_that_ran_out_is_renewed_by_the_refresh_token(world: World) -> None:
    world.data.ticket_s = -1
    one = world.client()
    session = await one.guest()
    two = world.client()
    await two.hello()
    bare = await two.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=1))
    assert bare.refusal.code == "BAD_TICKET"
    world.data.ticket_s = 600
    answer = await two.ask(
        resume=hall_pb2.Resume(
            ticket=session.ticket, connection=1, refresh_token=session.refresh_token
        )
    )
    assert answer.session.refresh_token
    assert answer.session.connection == 1


async def test_bad_tickets(world: World) -> None:
    one = world.client()
    session = await one.guest()
    other = world.client()
    await other.hello()
    head, _, tail = session.ticket.rpartition(".")
    forged = head[:-6] + ("aaaaaa" if head[-6:] != "aaaaaa" else "bbbbbb") + "." + tail
    for ticket in ("x", "v4.public.x", "v4.public.aaaa.e30", forged, session.ticket + "A"):
        answer = await other.ask(resume=hall_pb2.Resume(ticket=ticket, connection=1))
        assert answer.refusal.code == "BAD_TICKET", ticket
        assert answer.refusal.text
    assert world.gateway.sessions == 1


async def test_rooms_are_listed_with_their_counts(world: World) -> None:
    world.data.shards[ROOM, 0].players = 7
    client = world.client()
    await client.hello()
    rooms = (await client.ask(list_rooms=hall_pb2.ListRooms())).rooms.rooms
    assert {room.id: room.players for room in rooms} == {ROOM: 7, "doudizhu.master": 0}
    assert rooms[0].title["zh"] == "新手"
    assert not (await client.ask(list_rooms=hall_pb2.ListRooms(game="go"))).rooms.rooms


async def test_wallet_password_and_logout(world: World) -> None:
    client = world.client()
    await client.guest()
    assert (await client.ask(get_wallet=hall_pb2.GetWallet())).wallet.coin == 101
    table = await client.join()
    changed = await client.ask(
        change_password=hall_pb2.ChangePassword(old_password="", new_password="12345678")
    )
    assert changed.session.session_epoch == 2
    await client.send(client.act(table))
    await until(lambda: client.steps() == [2])
    assert world.host.log[-1].session_epoch == 2
    assert not client.ended
    assert (await client.ask(logout=hall_pb2.Logout())).HasField("done")
    await until(lambda: client.ended)


async def test_a_kicked_player_is_told_and_stays_out(world: World) -> None:
    client = world.client()
    session = await client.guest()
    world.data.end_below(101, 2, "KICKED")
    await until(lambda: client.ended)
    assert client.notices() == ["KICKED"]
    again = world.client()
    await again.hello()
    answer = await again.ask(resume=hall_pb2.Resume(ticket=session.ticket, connection=9))
    assert answer.refusal.code == "STALE_SESSION"


async def test_drain_refuses_the_new_and_tells_the_old(world: World) -> None:
    client = world.client()
    await client.guest()
    wish = data_pb2.FollowEvent(drain=data_pb2.Drain(on=True))
    world.data.ended.put_nowait(wish)
    await until(lambda: client.notices() == ["DRAINING"])
    answer = await client.ask(quick_join=hall_pb2.QuickJoin(room=ROOM))
    assert answer.refusal.code == "DRAINING"
    late = world.client()
    assert (await late.hello()).refusal.code == "DRAINING"
    await until(lambda: late.ended)
    wish.drain.on = False
    world.data.ended.put_nowait(wish)
    await until(lambda: not world.gateway.context.draining)
    assert (await client.join()).table == 500
    world.gateway.drain()
    world.data.ended.put_nowait(wish)
    await client.ask(ping=hall_pb2.Ping())
    await until(world.data.ended.empty)
    await client.ask(get_wallet=hall_pb2.GetWallet())
    assert world.gateway.context.draining


async def test_a_connection_that_ends_during_login_leaves_no_ghost(world: World) -> None:
    world.data.slow_s = 0.1
    client = world.client()
    await client.hello()
    await client.send(client.command(open_guest=hall_pb2.OpenGuest(device_secret=b"g" * 32)))
    await until(lambda: "OpenGuest" in world.data.calls)
    client.stop()
    await until(lambda: world.data.presence.get(101) is False)
    assert world.gateway.sessions == 0
    assert world.gateway.connections == 0


async def test_a_seat_won_after_the_connection_ended_is_reported_as_gone(world: World) -> None:
    client = world.client()
    await client.guest()
    world.host.silent = True
    await client.send(client.command(quick_join=hall_pb2.QuickJoin(room=ROOM)))
    await until(lambda: "quick_join" in world.host.kinds())
    client.stop()
    await until(lambda: "gone" in world.host.kinds())
    world.host.silent = False
    (writer,) = world.host._writers
    world.host._command(writer, world.host.log[0])
    await until(lambda: world.host.kinds().count("gone") == 2)


async def test_data_server_trouble_is_a_typed_refusal(world: World) -> None:
    import grpc

    client = world.client()
    await client.guest()
    world.data.fail_with = [grpc.StatusCode.RESOURCE_EXHAUSTED]
    busy = await client.ask(get_wallet=hall_pb2.GetWallet())
    assert (busy.refusal.code, busy.refusal.retry_after_ms) == ("BUSY", 321)
    world.data.fail_with = [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.INTERNAL]
    assert (await client.ask(get_wallet=hall_pb2.GetWallet())).wallet.coin == 101
    world.data.fail_with = [grpc.StatusCode.INVALID_ARGUMENT]
    assert (await client.ask(get_wallet=hall_pb2.GetWallet())).refusal.code == "INTERNAL"
    world.data.slow_s = 0.3
    commands = [client.command(get_wallet=hall_pb2.GetWallet()) for _ in range(5)]
    await client.send(*commands)
    fifth = await client.answer(commands[4].id)
    assert fifth.refusal.code == "TOO_FAST"
    await asyncio.gather(*(client.answer(command.id) for command in commands))
