"""Sentences of the refusals (en, zh)."""

from __future__ import annotations

from collections.abc import Mapping

from paiju.rules.climbing.sentences import sentence

_KINDS = {
    "single": ("single", "单张"),
    "pair": ("pair", "对子"),
    "triple": ("three of a kind", "三同张"),
    "bomb": ("bomb", "炸弹"),
    "triple_single": ("three with one", "三连一"),
    "triple_pair": ("three with a pair", "三连二"),
    "four_two_singles": ("four with two cards", "四带两张"),
    "four_two_pairs": ("four with two pairs", "四带两对"),
    "straight": ("straight of {length}", "{length} 张顺子"),
    "pair_run": ("run of {length} pairs", "{length} 连对"),
    "triple_run": ("run of {length} triples", "{length} 连三同张"),
    "triple_run_singles": ("{length} triples with cards", "{length} 连三同张带单"),
    "triple_run_pairs": ("{length} triples with pairs", "{length} 连三同张带对"),
}

_TEXTS = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "not_in_hand": ("You do not hold {cards}.", "你没有 {cards}。"),
    "no_such_play": ("These cards are no play.", "这些牌不成牌型。"),
    "does_not_beat": (
        "That does not beat the {play}: a higher one or a bomb is needed.",
        "压不过{play}，需要更大的同类牌型或炸弹。",
    ),
    "must_lead": ("You lead: play something.", "轮到你领出，不能不出。"),
    "must_open": ("The first play must contain 3h.", "首家第一手必须带红桃 3。"),
    "alarm": (
        "The next player has one card: a single must be your highest rank, {rank}.",
        "下家报警：出单张必须出最大的 {rank}。",
    ),
    "must_beat": ("You can beat this, so you must.", "要得起必须出。"),
    "no_fig": ("Your hand is no wuhuaguo.", "你的牌不是无花果。"),
    "wrong_phase": ("That is not possible now.", "现在不能这样做。"),
    "hand_over": ("The hand is over.", "本局已结束。"),
    "syntax": (
        "Not understood: {detail}. Try `declare`, `pass` or `play 3s 3h`.",
        "无法识别：{detail}。例如 declare、pass、play 3s 3h。",
    ),
    "bad_deal": ("That is no deal.", "发牌无效。"),
}


def message(code: str, params: Mapping[str, object], locale: str) -> str | None:
    """The sentence for a code, None for one that is not of this game."""
    return sentence(_TEXTS, _KINDS, code, params, locale)
