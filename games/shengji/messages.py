"""Sentences of the refusals (en, zh)."""

from __future__ import annotations

from collections.abc import Mapping

_TEXTS = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "wrong_phase": ("That is not possible now.", "现在不能这样做。"),
    "hand_over": ("The hand is over.", "本局已结束。"),
    "bad_deal": ("That is no deal.", "发牌无效。"),
    "syntax": (
        "Not understood: {detail}. Try `play 3s 3s`, `throw As Ks`, `declare 2h` or `pass`.",
        "无法识别：{detail}。例如 play 3s 3s、throw As Ks、declare 2h、pass。",
    ),
    "not_in_hand": ("You do not hold {cards}.", "你没有 {cards}。"),
    "no_claim": (
        "That is no claim: show equal cards of the level {level}, or equal jokers.",
        "不能这样亮主：要亮相同的级牌（{level}）或相同的王。",
    ),
    "one_level_card": (
        "Turn up exactly one card of the level {level}.",
        "翻主只能翻一张级牌（{level}）。",
    ),
    "no_counter": (
        "The bottom is countered with two or three equal cards of the level {level}, or equal"
        " jokers.",
        "反底须用两张或三张相同的级牌（{level}）或相同的王。",
    ),
    "too_weak": ("A stronger claim than {claim} is needed.", "必须比 {claim} 更大才能反。"),
    "other_verb": ("Here that is called `{verb}`.", "这里应当用 {verb}。"),
    "bury_count": ("Bury exactly {count} cards.", "必须扣 {count} 张底牌。"),
    "no_lead": (
        "These cards cannot be led together.",
        "这些牌不能一起领出。",
    ),
    "throw_it": (
        "That is more than one single, pair or run: `throw` it.",
        "这是多组牌，请用 throw 甩牌。",
    ),
    "no_throw": ("A throw has two or more parts; `play` this.", "甩牌至少两组，请用 play 出牌。"),
    "leader_throws": ("Only the leader may throw.", "只有领出的人可以甩牌。"),
    "wrong_count": ("Play {count} cards.", "必须出 {count} 张牌。"),
    "follow_suit": (
        "Follow suit: play {count} of your {suit}.",
        "有{suit}必须跟{suit}，须出 {count} 张。",
    ),
    "follow_kind": (
        "You hold better: answer the {kind} as far as you can.",
        "有{kind}或其中的一部分，必须跟出。",
    ),
    "tribute_count": ("{count} cards of tribute are due.", "应进贡 {count} 张。"),
    "tribute_highest": ("Tribute takes your {count} highest cards.", "须进贡最大的 {count} 张牌。"),
    "return_count": ("Return {count} cards.", "应还 {count} 张。"),
    "return_low": (
        "Return side cards without points; if they do not suffice, all of them and your lowest"
        " others.",
        "须还没有分的副牌；不够时全部还出，再补最小的其他牌。",
    ),
    "red_first": (
        "A black joker goes under only after your red ones.",
        "大王没有全部扣下之前，不能扣小王。",
    ),
    "only_jokers": ("Only jokers may be swapped.", "只能用王换底。"),
    "swappable": (
        "At most {count} cards of the bottom may be taken.",
        "底牌中最多能换出 {count} 张。",
    ),
}
_KINDS = {
    "single": ("single", "单张"),
    "pair": ("pair", "对子"),
    "triple": ("triple", "三同张"),
    "tractor": ("tractor of {length}", "{length} 连对拖拉机"),
    "titanic": ("titanic", "泰坦尼克"),
    "stick": ("stick", "棒子"),
    "roller": ("roller", "滚子"),
}
_SUITS = (
    ("diamonds", "方块"),
    ("clubs", "梅花"),
    ("hearts", "红桃"),
    ("spades", "黑桃"),
    ("trumps", "主牌"),
)


def message(code: str, params: Mapping[str, object], locale: str) -> str | None:
    """The sentence for a code, None for one that is not of this family."""
    texts = _TEXTS.get(code)
    if texts is None:
        return None
    column = 1 if locale.startswith("zh") else 0
    values: dict[str, object] = dict.fromkeys(
        ("cards", "level", "claim", "verb", "count", "suit", "kind", "detail"), "?"
    )
    values |= params
    suit = params.get("suit")
    if isinstance(suit, int):
        values["suit"] = _SUITS[suit][column]
    kind = _KINDS.get(str(params.get("kind")))
    if kind is not None:
        values["kind"] = kind[column].format(length=params.get("length", "?"))
    return texts[column].format_map(values)
