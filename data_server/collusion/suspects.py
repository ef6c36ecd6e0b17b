"""All pairs, all questions; those that two answers point at are listed, strongest first."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from data_server.collusion.flow import Flow
from data_server.collusion.hands import Hand
from data_server.collusion.meetings import Meetings, Pair
from data_server.collusion.soft_play import SoftPlay

LEAST_HANDS = 20  # together; fewer say nothing
LEVEL = 0.01  # chance that one question points at anybody of an honest hall
LEAST_SIGNALS = 2
_ADDRESS_SCORE = 2.0
_MOST = 20.0  # decades of one signal: beyond, the models are not that exact


@dataclass(frozen=True, slots=True, kw_only=True)
class Suspicion:
    """p values are multiplied by the number of pairs that were asked about; at most 1."""

    pair: Pair
    hands: int
    meetings: int
    meetings_expected: float
    meetings_p: float
    flow: int
    flow_p: float
    soft_passes: int
    soft_expected: float
    soft_p: float
    same_address: bool
    signals: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Findings:
    suspicions: list[Suspicion]
    pairs: int
    players: int


def find(
    hands: Sequence[Hand],
    *,
    same_address: Collection[Pair] = (),
    least_signals: int = LEAST_SIGNALS,
) -> Findings:
    """hands: in the order of their ends. same_address: pairs that share one few others use."""
    meetings, flow, soft = Meetings.of(hands), Flow.of(hands), SoftPlay.of(hands)
    pairs = [pair for pair in meetings.met if flow.hands(pair) >= LEAST_HANDS]
    found = []
    for pair in pairs:
        suspicion = _ask(pair, meetings, flow, soft, pair in same_address, pairs=len(pairs))
        if len(suspicion.signals) >= least_signals:
            found.append(suspicion)
    found.sort(key=lambda suspicion: (-suspicion.score, suspicion.pair))
    players = {player for hand in hands for player in hand.nets}
    return Findings(found, len(pairs), len(players))


def _ask(
    pair: Pair, meetings: Meetings, flow: Flow, soft: SoftPlay, address: bool, *, pairs: int
) -> Suspicion:
    meetings_expected, meetings_p = meetings.p_value(pair)
    passes, soft_expected, soft_p = soft.p_value(pair)
    values = {"meetings": meetings_p, "flow": flow.p_value(pair), "soft_play": soft_p}
    corrected = {name: min(1.0, p * pairs) for name, p in values.items()}
    signals = [name for name, p in corrected.items() if p <= LEVEL]
    score = sum(min(_MOST, -math.log10(max(corrected[name], 1e-300))) for name in signals)
    if address:
        signals.append("address")
        score += _ADDRESS_SCORE
    return Suspicion(
        pair=pair,
        hands=flow.hands(pair),
        meetings=meetings.met[pair],
        meetings_expected=meetings_expected,
        meetings_p=corrected["meetings"],
        flow=round(flow.coins[pair]),
        flow_p=corrected["flow"],
        soft_passes=passes,
        soft_expected=soft_expected,
        soft_p=corrected["soft_play"],
        same_address=address,
        signals=tuple(signals),
        score=score,
    )
