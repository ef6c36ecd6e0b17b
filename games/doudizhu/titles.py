"""Titles (级别): by present score in the classic game, by beans in 欢乐斗地主.

A title can be lost again.
"""

from __future__ import annotations

from typing import NamedTuple


class Table(NamedTuple):
    """lowest: the title below the first threshold; rows: (threshold, title), rising."""

    lowest: str
    rows: tuple[tuple[int, str], ...]


BY_SCORE = Table(
    "包身工",
    (
        (10, "短工"),
        (25, "长工"),
        (40, "佃户"),
        (80, "贫农"),
        (140, "渔夫"),
        (230, "猎人"),
        (365, "中农"),
        (500, "富农"),
        (700, "掌柜"),
        (1000, "商人"),
        (1500, "衙役"),
        (2200, "小财主"),
        (3000, "大财主"),
        (4000, "小地主"),
        (5500, "大地主"),
        (7700, "知县"),
        (10000, "通判"),
        (14000, "知府"),
        (20000, "总督"),
        (30000, "巡抚"),
        (45000, "丞相"),
        (70000, "帝王"),
    ),
)

BY_BEANS = Table(
    "短工",
    (
        (100, "长工"),
        (200, "佃户"),
        (400, "贫农"),
        (600, "渔夫"),
        (1000, "猎人"),
        (2000, "中农"),
        (4000, "富农"),
        (6000, "掌柜"),
        (10000, "商人"),
        (20000, "衙役"),
        (50000, "小财主"),
        (100000, "大财主"),
        (200000, "小地主"),
        (500000, "大地主"),
        (1000000, "知县"),
        (2000000, "通判"),
        (5000000, "知府"),
        (10000000, "总督"),
        (20000000, "巡抚"),
        (50000000, "丞相"),
        (100000000, "帝王"),
    ),
)


def title(table: Table, amount: int) -> tuple[int, str]:
    """Level (from 1) and title of a present score or wealth."""
    level, name = 1, table.lowest
    for number, (threshold, shown) in enumerate(table.rows, start=2):
        if amount >= threshold:
            level, name = number, shown
    return level, name
