"""Leases on the watcher's clock, and where a shard is opened."""

from __future__ import annotations

from data_server.leases import Leases
from data_server.placing import Candidate, choose


def test_silence_ends_a_lease_and_a_changed_number_prolongs_it() -> None:
    leases = Leases(lease_s=15)
    leases.observe({"a": 5, "b": 5}, 100)
    leases.observe({"a": 6, "b": 5}, 110)
    assert leases.alive("a", 120) and not leases.alive("b", 120)
    assert leases.silent_s("b", 120) == 20 and leases.count_alive(120) == 1
    leases.observe({"a": 6, "b": 6}, 121)
    assert leases.alive("b", 121)


def test_a_first_look_begins_a_lease() -> None:
    leases = Leases(lease_s=15)
    assert not leases.alive("a", 0) and leases.silent_s("a", 1e9) == 0
    leases.observe({"a": 1}, 1000)
    assert leases.alive("a", 1014) and not leases.alive("a", 1015)


def test_our_own_absence_is_forgiven() -> None:
    leases = Leases(lease_s=15)
    leases.beat("a", 1, 0)
    leases.forgive(500)
    assert leases.alive("a", 514)


def test_what_came_to_us_is_not_undone_by_an_older_row() -> None:
    leases = Leases(lease_s=15)
    leases.beat("a", 7, 10)
    leases.observe({"a": 6}, 20)
    assert leases.silent_s("a", 20) == 10 and leases.beat_of("a") == 7
    assert leases.oldest_s(20) == 10


def host(name: str, *, tables: int = 0, shards: int = 0, server: str = "") -> Candidate:
    return Candidate(host=name, server=server, max_tables=100, tables=tables, shards=shards)


def test_the_emptiest_host_gets_the_shard() -> None:
    assert choose([]) is None
    assert choose([host("a", tables=100)]) is None
    hosts = [host("a", tables=30), host("b", tables=10), host("c", tables=10, shards=1)]
    chosen = choose(hosts)
    assert chosen is not None and chosen.host == "b"


def test_the_preferred_server_wins_while_it_has_half_as_much_space() -> None:
    near, far = host("a", tables=49, server="near"), host("b", server="far")
    chosen = choose([near, far], prefer_server="near")
    assert chosen == near
    assert choose([host("a", tables=51, server="near"), far], prefer_server="near") == far
