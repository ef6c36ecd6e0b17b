"""Sentences of the bull games' refusals (en, zh)."""

from __future__ import annotations

TEXTS: dict[str, tuple[str, str]] = {
    "not_your_turn": ("It is not your turn.", "还没轮到你。"),
    "not_in_hand": ("You do not hold {cards}.", "你没有 {cards}。"),
    "three_cards": ("Choose exactly three cards.", "请正好选三张牌。"),
    "no_tens": (
        "These three cards make {points}; 10, 20 or 30 is needed.",
        "这三张牌共 {points} 点，需要凑成 10、20 或 30 点。",
    ),
    "has_bull": ("This hand has a bull: lay three cards.", "这手牌有牛，请选出三张。"),
    "already_chosen": ("You have chosen already.", "你已经选过了。"),
    "already_shown": ("You have shown your hand.", "你已经摊牌了。"),
    "arranged_enough": ("You have arranged often enough: show.", "摆牌次数已用完，请摊牌。"),
    "banker_shows_last": ("The banker shows last.", "庄家最后摊牌。"),
    "banker_does_not_bet": ("The banker does not bet.", "庄家不下注。"),
    "not_offered": ("Offered are: {chips}.", "可下的注：{chips}。"),
    "wrong_phase": ("That is not possible now.", "现在不能这样做。"),
    "hand_over": ("The hand is over.", "本局已结束。"),
    "has_left": ("You have left this hand.", "你已离开本局。"),
    "bad_deal": ("That is no deal.", "发牌无效。"),
    "syntax": (
        "Not understood: {detail}. Try `arrange As 9h Tc` or `arrange none`.",
        "无法识别：{detail}。例如 arrange As 9h Tc 或 arrange none。",
    ),
}
"""Code -> sentence in English and Chinese."""
