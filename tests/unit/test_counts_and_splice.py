"""Plain counters show what prometheus_client's own would; spliced fields are protobuf's."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from paiju.service.counts import Count, Spread
from paiju.wire import splice
from paiju.wire.v1 import common_pb2, hall_pb2, host_pb2

BUCKETS = (0.001, 0.01, 0.5, 1.0)


def _lines(registry: CollectorRegistry) -> list[str]:
    """What a scrape gets, without when a metric was made."""
    text = generate_latest(registry).decode()
    return [line for line in text.splitlines() if "_created" not in line]


@given(st.lists(st.sampled_from([0.0, 0.001, 0.002, 0.25, 0.5, 1.0, 7.0])))
def test_they_look_like_the_librarys_own(values: list[float]) -> None:
    theirs, ours = CollectorRegistry(), CollectorRegistry()
    library = (
        Counter("n", "Things.", registry=theirs),
        Histogram("s", "Seconds.", buckets=BUCKETS, registry=theirs),
    )
    plain = (
        Count("n", "Things.", registry=ours),
        Spread("s", "Seconds.", buckets=BUCKETS, registry=ours),
    )
    for counter, spread in (library, plain):
        for value in values:
            counter.inc(value)
            counter.inc()
            spread.observe(value)
    assert _lines(ours) == _lines(theirs)


@given(st.integers(0, 2**64 - 1), st.binary(max_size=400), st.integers(0, 2**32 - 1))
def test_fields_are_those_of_protobuf(number: int, payload: bytes, check: int) -> None:
    spliced = (
        splice.sized(splice.tag(2, 2), payload)
        + splice.fixed64(splice.tag(3, 1), number)
        + splice.number(splice.tag(5, 0), number)
    )
    parsed = host_pb2.Deliver.FromString(spliced)
    assert parsed == host_pb2.Deliver(update=payload, table=number, seq=number)
    patch = hall_pb2.ViewPatch.FromString(splice.fixed32(splice.tag(3, 5), check))
    assert patch.check == check
    shard = splice.number(splice.tag(2, 0), number & 0xFFFFFFFF)
    assert common_pb2.TableRef.FromString(shard).shard == number & 0xFFFFFFFF
