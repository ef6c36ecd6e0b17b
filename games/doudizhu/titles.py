"""Titles (级别) of Dou Dizhu by present score."""

from __future__ import annotations

_TITLES: tuple[tuple[int, str], ...] = (
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
)


def title(score: int) -> tuple[int, str]:
    """Level (from 1) and title of a present score; a title can be lost again."""
    level, name = 1, "包身工"
    for number, (threshold, shown) in enumerate(_TITLES, start=2):
        if score >= threshold:
            level, name = number, shown
    return level, name
