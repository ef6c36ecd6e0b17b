"""Sentences of the refusals (en, zh)."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "stake_too_low": ("Stake at least {lowest}.", "添菜至少 {lowest}。"),
    "stake_too_high": (
        "Stake at most {highest}: the pot and half of what you have are limits.",
        "添菜最多 {highest}：不能超过锅底和自己财力的一半。",
    ),
    "pair_stake": ("On a pair the stake is exactly {lowest}.", "对子只能添 {lowest}。"),
    "cannot_stake": (
        "You have too little to stake here; you can only fold.",
        "财力不足，只能放弃。",
    ),
    "wrong_phase": ("That is not possible now.", "现在不能这样做。"),
    "hand_over": ("The game is over.", "本局已结束。"),
    "has_left": ("You have left this game.", "你已离开本局。"),
    "bad_deal": ("These cards cannot come now.", "发牌无效。"),
    "syntax": (
        "Not understood: {detail}. Try `stake 50` or `fold`.",
        "无法识别：{detail}。例如 stake 50 或 fold。",
    ),
}
"""Code -> sentence in English and Chinese."""
