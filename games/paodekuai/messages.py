"""Sentences of the game's refusals (en, zh)."""

from __future__ import annotations

from collections.abc import Mapping

from paiju.rules.climbing.sentences import sentence

_KINDS = {
    "single": ("single", "单张"),
    "pair": ("pair", "对子"),
    "trio": ("three of a kind", "三张"),
    "trio_pair": ("three with a pair", "三带一对"),
    "straight": ("straight of {length}", "{length} 张顺子"),
    "pair_straight": ("run of {length} pairs", "{length} 连对"),
    "trio_straight": ("run of {length} trios", "{length} 连三张"),
    "plane_pair": ("plane of {length} with pairs", "{length} 连飞机带对"),
    "bomb": ("bomb", "炸弹"),
}
_TEXTS = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "not_in_hand": ("You do not hold {cards}.", "你没有 {cards}。"),
    "no_such_play": ("These cards are no combination.", "这些牌不成牌型。"),
    "does_not_beat": (
        "That does not beat the {play}: a higher one or a bomb is needed.",
        "压不过{play}，需要更大的同类牌型或炸弹。",
    ),
    "must_lead": ("You lead: play something.", "轮到你领出，不能不出。"),
    "wrong_phase": ("That is not possible now.", "现在不能这样做。"),
    "hand_over": ("The hand is over.", "本局已结束。"),
    "syntax": (
        "Not understood: {detail}. Try `pass` or `play 3s 3h`.",
        "无法识别：{detail}。例如 pass、play 3s 3h。",
    ),
    "bad_deal": ("That is no deal.", "发牌无效。"),
}


def message(code: str, params: Mapping[str, object], locale: str) -> str | None:
    """The sentence for a code, None for one that the game does not have."""
    return sentence(_TEXTS, _KINDS, code, params, locale)
