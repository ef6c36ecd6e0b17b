"""Sentences of the refusals (en, zh)."""

from __future__ import annotations

from collections.abc import Mapping

_TEXTS = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "wrong_phase": ("That is not possible now.", "现在不能这样做。"),
    "hand_over": ("The hand is over.", "本局已结束。"),
    "not_in_hand": ("You do not hold {cards}.", "你没有 {cards}。"),
    "no_such_play": (
        "These cards are no play: one rank, with 2s and jokers added to it.",
        "这些牌不能一起出：只能是同一点数，可以贴 2、挂花。",
    ),
    "threes_last": (
        "Threes are played last, all at once and by themselves.",
        "憋三：3 必须留到最后，不贴不挂，一次出完。",
    ),
    "does_not_beat": (
        "That does not beat {play}: {need}.",
        "压不过{play}：{need}。",
    ),
    "must_lead": ("You lead: play something.", "轮到你领出，不能不出。"),
    "cannot_yield": (
        "Only the opposite of a plain play may yield, once, before it has passed and while"
        " others are still to be asked.",
        "只有对家出非够级牌、自己还没过牌、后面还有人要问时，才能让牌一次。",
    ),
    "cannot_burn": (
        "You may not burn now: it needs a threshold play on the table that is neither yours nor"
        " your opposite's, and you must not have passed or be headless.",
        "现在不能烧牌：台面须是够级牌，且不是自己或对家出的；过了牌或无头的不能烧。",
    ),
    "tribute_count": ("Exactly {count} cards are due.", "应交 {count} 张牌。"),
    "tribute_highest": (
        "Tribute takes your {count} highest cards of those you were dealt.",
        "进贡须交自己摸到的牌中最大的 {count} 张。",
    ),
    "three_payment": ("A three costs one 2 or one joker.", "买三须付一张 2 或一张王。"),
    "not_identical": (
        "Show two or more {rank}s of one suit.",
        "上班须亮两张以上同花色的 {rank}。",
    ),
    "syntax": (
        "Not understood: {detail}. Try `play 8s 8h`, `burn 2s 2h`, `pass` or `yield`.",
        "无法识别：{detail}。例如 play 8s 8h、burn 2s 2h、pass、yield。",
    ),
    "bad_deal": ("That is no deal.", "发牌无效。"),
}


def message(code: str, params: Mapping[str, object], locale: str) -> str | None:
    """The sentence for a code, None for one that is not of this game."""
    texts = _TEXTS.get(code)
    if texts is None:
        return None
    column = 1 if locale.startswith("zh") else 0
    values = {"cards": "?", "count": "?", "rank": "?", "detail": "?", **params}
    if code == "does_not_beat":
        values["play"], values["need"] = _play(params, column), _need(params, column)
    return texts[column].format_map(values)


def _play(params: Mapping[str, object], column: int) -> str:
    """The play on the table: number of cards, base, jokers."""
    count, rank = params.get("count", "?"), params.get("rank", "?")
    jokers, joker = params.get("jokers", 0), params.get("joker")
    if column:
        hung = f"，挂 {jokers} 张 {joker}" if jokers else ""
        return f" {count} 张 {rank}{hung}"
    hung = f" with {jokers} {joker}" if jokers else ""
    return f"{count} of {rank}{hung}"


def _need(params: Mapping[str, object], column: int) -> str:
    count, jokers = params.get("count", "?"), params.get("jokers", 0)
    if column:
        more = "，并且王更多或更大" if jokers else ""
        return f"需要 {count} 张更大的牌{more}"
    more = ", with more or higher jokers" if jokers else ""
    return f"{count} cards of a higher rank are needed{more}"
