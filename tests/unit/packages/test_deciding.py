"""What a machine offers, from plans and what it knows."""

from __future__ import annotations

from typing import Any

import pytest

from game_server.packages.deciding import Known, decide
from game_server.packages.shelf import INSTALLED, Offer
from paiju.wire.v1 import packages_pb2 as pb

HERE = {f"toss/1.{n}.0": f"{n}" * 64 for n in range(3)}


def plan(version: str = "1.2.0", **more: Any) -> pb.PackagePlan:
    return pb.PackagePlan(**{"package": "toss", "version": version, "on": True, **more})


def offered(plans: list[pb.PackagePlan], **more: Any) -> str:
    known = Known(**{"versions": HERE, "checked": set(HERE), **more})
    offers = decide(plans, known).offers
    return offers[0].version if offers else ""


def test_the_version_of_the_plan_is_offered() -> None:
    assert offered([plan()]) == "1.2.0"
    assert offered([plan("1.0.0")]) == "1.0.0"
    assert offered([plan(on=False)]) == ""
    assert offered([]) == ""


@pytest.mark.parametrize(
    "wrong",
    [
        {"yanked": {"toss/1.2.0"}},
        {"faulty": {"toss/1.2.0": "boom"}},
        {"checked": {"toss/1.0.0", "toss/1.1.0"}},
        {"versions": {"toss/1.1.0": "1" * 64}},
    ],
)
def test_what_is_not_good_here_falls_back_unless_it_is_pinned(wrong: dict[str, Any]) -> None:
    assert offered([plan()], **wrong) == "1.1.0"
    assert offered([plan(pinned=True)], **wrong) == ""


def test_nothing_newer_than_the_plan_is_ever_offered() -> None:
    assert offered([plan("1.0.0")], yanked={"toss/1.0.0"}) == ""


def test_numbers_are_ordered_as_numbers() -> None:
    versions = {f"toss/1.{n}.0": "0" * 64 for n in (9, 10, 11)}
    bad = {"faulty": {"toss/1.11.0": "x"}, "versions": versions, "checked": set(versions)}
    assert offered([plan("1.11.0")], **bad) == "1.10.0"


def test_installed_packages_are_offered_until_a_plan_says_otherwise() -> None:
    known = Known(versions={}, installed={"toss": "1.0.0"})
    shelf = decide([], known)
    assert (shelf.offers, shelf.stopped) == ([], [])
    assert decide([plan(INSTALLED, on=False)], known).stopped == ["toss"]
    assert decide([plan(INSTALLED)], known).offers == [Offer(package="toss", version="1.0.0")]
    faulty = Known(versions={}, installed={"toss": "1.0.0"}, faulty={"toss/1.0.0": "x"})
    assert decide([], faulty).stopped == ["toss"]


def test_a_staged_version_must_be_good_too() -> None:
    staged = plan("1.0.0", staged="1.1.0", percent=10)
    known = Known(versions=HERE, checked=set(HERE))
    (offer,) = decide([staged], known).offers
    assert (offer.staged, offer.percent) == ("1.1.0", 10)
    (offer,) = decide([staged], Known(versions=HERE, checked={"toss/1.0.0"})).offers
    assert (offer.staged, offer.percent) == ("", 0)
