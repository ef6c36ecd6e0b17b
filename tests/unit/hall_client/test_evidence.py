"""Lost and doubled actions are found, and clients' waiting is measured as it was."""

from __future__ import annotations

from hall_client.events import Connected, Noticed, TableChanged
from hall_client.load.evidence import ActionLog, compare
from hall_client.load.outage import Outage
from hall_client.mirror import Outcome
from paiju.rules.record import Record, RecordedAction, RecordedOutcome


def _record(*actions: tuple[int, str, str]) -> Record:
    return Record(
        game="g",
        version=1,
        package="1",
        parameters="{}",
        table="7",
        hand=1,
        seats=["1", "2"],
        bots=[False, False],
        wealth=None,
        carry={},
        commitment="",
        contributions=[],
        secret="",
        actions=[RecordedAction(seat, line, 0, cause) for seat, line, cause in actions],
        started_us=0,
        ended_us=0,
        outcome=RecordedOutcome("x", [0, 0], [0, 0]),
    )


def _log(*sent: tuple[str, int]) -> ActionLog:
    log = ActionLog()
    for line, seq in sent:
        log.begin(7, 1, 0, line).seq = seq
    return log


def test_what_was_acknowledged_is_in_the_record_once() -> None:
    record = _record((0, "a", "player"), (1, "pass", "timeout"), (0, "b", "player"))
    verdict = compare(_log(("a", 3), ("b", 5)), [record])
    assert (verdict.lost, verdict.double, verdict.recorded) == ([], [], 2)


def test_an_unanswered_action_may_be_there_or_not() -> None:
    log = _log(("a", 3), ("b", 0), ("c", 7))
    for actions in (("a", "c"), ("a", "b", "c")):
        verdict = compare(log, [_record(*((0, line, "player") for line in actions))])
        assert (verdict.lost, verdict.double) == ([], [])


def test_a_lost_action_is_named() -> None:
    verdict = compare(_log(("a", 3), ("b", 5)), [_record((0, "a", "player"))])
    assert len(verdict.lost) == 1
    assert "b (number 5)" in verdict.lost[0]


def test_an_action_that_took_effect_twice_is_named() -> None:
    record = _record((0, "a", "player"), (0, "a", "player"))
    assert len(compare(_log(("a", 3)), [record]).double) == 1


def test_one_number_for_two_actions_is_a_doubled_number() -> None:
    log = _log(("a", 3))
    log.begin(7, 1, 1, "b").seq = 3
    verdict = compare(log, [_record((0, "a", "player"), (1, "b", "player"))])
    assert len(verdict.double) == 1


def _changed(epoch: int, seq: int, table: int = 7) -> TableChanged:
    return TableChanged(table, epoch, seq, Outcome.APPLIED, snapshot=True)


def test_a_table_is_back_when_its_last_client_sees_a_new_epoch() -> None:
    now = [10.0]
    outage = Outage(clock=lambda: now[0])
    for client in (1, 2):
        outage.saw(client, _changed(1, 5))
    outage.saw(3, _changed(1, 5, table=8))  # of another host: nobody is told anything
    outage.struck_host()
    outage.saw(1, Noticed("TABLE_RECOVERING", "", table=7))
    assert outage.waiting == 1
    now[0] = 11.0
    outage.saw(1, _changed(1, 6))  # was on its way
    outage.saw(1, _changed(2, 6))
    assert outage.samples == []
    now[0] = 12.5
    outage.saw(2, _changed(2, 6))
    assert outage.samples == [2.5]
    assert outage.waiting == 0


def test_a_client_is_back_when_its_session_is_open_again() -> None:
    now = [1.0]
    outage = Outage(clock=lambda: now[0])
    assert outage.struck_gateway([1, 2]) == 2
    now[0] = 1.25
    outage.saw(1, Connected("other", resumed=True))
    outage.saw(5, Connected("other", resumed=True))
    assert outage.samples == [0.25]
    assert outage.give_up() == 1
