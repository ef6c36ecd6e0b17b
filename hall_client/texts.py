"""All sentences of the client, in English and Chinese. Refusals come translated from the hall.

`Texts("zh")("key", name=...)` fills the braces; a key that is missing is a fault, not a text.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

# key -> (en, zh)
SENTENCES: Mapping[str, tuple[str, str]] = {
    # finding and entering the hall
    "no_hall": (
        "No hall is running here. Start one with `make up` (or `paiju up`), "
        "or name a gateway with --address HOST:PORT.",
        "这里没有正在运行的牌局大厅。请先执行 `make up`（或 `paiju up`），"
        "或用 --address 主机:端口 指定网关。",
    ),
    "unreachable": (
        "No gateway answers at {addresses}. Is the hall still running? Start it with `make up`.",
        "{addresses} 没有网关应答。大厅还在运行吗？可用 `make up` 启动。",
    ),
    "no_room": (
        "There is no room {room}. Rooms here: {rooms}.",
        "没有房间 {room}。现有房间：{rooms}。",
    ),
    "welcome": (
        "Welcome, {name}. You have {coin} coins; {stake} of them are now on the table.",
        "你好，{name}。你有 {coin} 财力，其中 {stake} 已带入牌桌。",
    ),
    "how": (
        "{game}. Type cards to play them: 33, 34567, bj rj. "
        "p passes, h shows a hint, l lists what you may do, ? explains, "
        "?? has the rules, q leaves.",
        "{game}。直接输入牌即可出牌，如 33、34567、bj rj；"
        "p 不出，h 提示，l 列出可选，? 帮助，?? 规则，q 离开。",
    ),
    "held": (
        "You still have a seat at another table, which comes first: {game}.",
        "你在另一张桌上还有座位，先继续那里：{game}。",
    ),
    "name_kept": (
        "You are known here as {name} already; --name is for new guests and changes nothing.",
        "你在这里已经叫 {name}；--name 只用于新游客，这次没有改名。",
    ),
    "no_game": (
        "No room here plays {game}. Games here: {games}.",
        "这里没有游戏 {game}。现有游戏：{games}。",
    ),
    "other_game": (
        "In the room {room} one plays {game}: leave out --game or --room.",
        "房间 {room} 的游戏是 {game}：请只给 --game 或 --room。",
    ),
    "not_installed": (
        "The rules of {game} are not installed here, so the terminal cannot show it.",
        "本机没有安装 {game} 的规则，终端无法显示。",
    ),
    "not_shown": (
        "{game} is played on a board, which the terminal cannot show: use the hall's page.",
        "{game} 是棋盘游戏，终端无法显示：请用大厅的网页。",
    ),
    "robots_come": ("{count} robots sit down with you.", "{count} 位机器人入座陪你。"),
    "bye": ("Goodbye. You have {coin} coins.", "再见。你现有 {coin} 财力。"),
    "ended": ("The session has ended: {reason}", "会话已结束：{reason}"),
    "recovering": (
        "The table is being restored; please wait a moment.",
        "牌桌正在恢复，请稍候。",
    ),
    "lost": ("Connection lost, trying to get back ...", "连接中断，正在重连……"),
    "back": ("Connected again.", "已重新连接。"),
    # seats and status
    "you": ("You", "你"),
    "landlord": ("landlord", "地主"),
    "farmer": ("farmer", "农民"),
    "partner": ("partner", "同伴"),
    "opposite": ("opposite", "对家"),
    "opponent": ("opponent", "对手"),
    "seat": ("seat", "座位"),
    "cards": ("cards", "剩牌"),
    "stake": ("stake", "筹码"),
    "last_move": ("last move", "上一手"),
    "away": ("away", "离线"),
    "your_cards": ("Your cards", "你的牌"),
    "to_beat": ("To beat: {play}", "要压过：{play}"),
    "you_lead": ("You lead: play anything.", "由你领出，任意牌型。"),
    "your_turn": (
        "Your turn: {what}; h hint ({seconds} s)",
        "轮到你：{what}；h 提示（{seconds} 秒）",
    ),
    "cards_word": ("cards", "牌"),
    "waiting_cards": ("Cards are coming ...", "正在发牌……"),
    "may_already": ("{text}; you may: {what}", "{text}；你可以：{what}"),
    "waiting_for": ("Waiting for {name} ({seconds} s)", "等待 {name}（{seconds} 秒）"),
    "waiting_seats": ("Waiting for {free} more to sit down", "等待 {free} 人入座"),
    "waiting_ready": ("Waiting for the others", "等待其他人准备"),
    "next_hand": (
        "Enter: next hand, q: leave with {stake}",
        "回车：下一局，q：带着 {stake} 离开",
    ),
    # what happened
    "hand_begins": ("Hand {hand} begins.", "第 {hand} 局开始。"),
    "call": ("{name}: call {call}", "{name}：叫 {call} 分"),
    "no_call": ("{name}: no call", "{name}：不叫"),
    "is_landlord": (
        "{name}: landlord, alone against the others, for {base}; bottom cards {cards}",
        "{name} 成为地主，底分 {base}；底牌 {cards}",
    ),
    "calls": ("{name}: calls", "{name}：叫地主"),
    "becomes_landlord": (
        "{name}: landlord, alone against the others; bottom cards {cards}",
        "{name} 成为地主；底牌 {cards}",
    ),
    "play": ("{name}: {cards}", "{name}：{cards}"),
    "left": ("{left} left", "剩 {left} 张"),
    "thrown": ("{cards} went back", "{cards} 收回"),
    "pass": ("{name}: pass", "{name}：不出"),
    "escape": ("{name} ran away.", "{name} 逃跑了。"),
    "redeal": ("Nobody called: the cards are dealt anew.", "无人叫分，重新发牌。"),
    "room_changed": (
        "From the next hand on the room has other rules.",
        "从下一局起，本房间使用新的规则参数。",
    ),
    "sits": ("{name} sits down.", "{name} 入座。"),
    "stands": ("{name} leaves.", "{name} 离开。"),
    "says": ("{name} says: {text}", "{name} 说：{text}"),
    # hints, problems
    "hint": ("Hint: {play}  (Enter plays it)", "提示：{play}（回车采用）"),
    "nothing_beats": (
        "Nothing you hold beats that: Enter or p passes.",
        "你没有能压过的牌：回车或 p 不出。",
    ),
    "hint_pass": ("pass", "不出"),
    "hint_call": ("call {call}", "叫 {call} 分"),
    "hint_no_call": ("do not call", "不叫"),
    "not_your_turn": ("It is not your turn yet.", "还没轮到你。"),
    "unreadable": (
        "I cannot read “{text}” as cards. Ranks are 3-9, T (or 10), J Q K A 2, bj and rj.",
        "看不懂“{text}”。点数用 3-9、T（或 10）、J Q K A 2，小王 bj，大王 rj。",
    ),
    "not_held": ("You do not have {cards}.", "你没有 {cards}。"),
    "unclear": (
        "Which one: {lines}? l lists all with numbers.",
        "是哪一个：{lines}？l 可列出全部并编号。",
    ),
    "not_understood": (
        "I do not understand that here. l lists what you may do, h shows a hint.",
        "这里看不懂这个。l 列出可选操作，h 提示。",
    ),
    "nothing_listed": ("There is nothing to choose now.", "现在没有可选操作。"),
    "more_listed": (
        "... and {more} more; type the cards themselves.",
        "……还有 {more} 种，直接输入牌即可。",
    ),
    "no_rules": ("This game brings no help.", "这个游戏没有帮助。"),
    "refused": ("Not possible: {reason}", "不行：{reason}"),
    "too_late": ("Too late: the time was up.", "超时了，系统已代你行动。"),
    "penalty": (
        "Leaving now is an escape and costs up to {penalty}. Type q again to leave, "
        "anything else to stay.",
        "现在离开算逃跑，最多扣 {penalty}。再输入 q 确认离开，输入其他则留下。",
    ),
    "stay": ("You stay.", "你留下了。"),
    "short": (
        "You need {need} on the table. Enter: bring more, q: leave",
        "桌上至少要有 {need}。回车：补充带入，q：离开",
    ),
    "input_ended": (
        "No more input: the hint plays this hand to its end.",
        "输入已结束：本局余下由提示代打。",
    ),
    "seat_lost": ("You have lost your seat ({reason}).", "你已失去座位（{reason}）。"),
    # the result
    "result": ("Result of hand {hand}", "第 {hand} 局结果"),
    "won": ("You win {amount}", "你赢了 {amount}"),
    "lost_hand": ("You lose {amount}", "你输了 {amount}"),
    "even": ("Nothing won, nothing lost", "不输不赢"),
    "change": ("change", "输赢"),
    "left_over": ("cards left", "余牌"),
    "proof": (
        "The shuffle was committed to beforehand and can be proved: paiju rules verify",
        "洗牌事先承诺，可用 paiju rules verify 验证",
    ),
    # help
    "help": (
        "[b]Dou Dizhu[/b]: whoever calls highest plays alone (landlord) against the other two; "
        "the side that first has no cards wins.\n"
        "Order: 3 4 5 6 7 8 9 T J Q K A 2 BJ RJ (BJ small joker, RJ big joker); suits do not "
        "matter.\n"
        "[b]Combinations[/b]: single 5 · pair 55 · trio 555 · with one 5556 · with a pair 55566 · "
        "straight 34567 (five or more) · pairs 334455 (three or more) · planes 333444(+56) · "
        "four with two 4444 56 · bomb 5555 · rocket BJ RJ.\n"
        "Follow with the same kind, higher; a bomb beats all but a higher bomb, the rocket all. "
        "Bombs double the stakes.",
        "[b]斗地主[/b]：叫分最高者为地主，一人对两家农民；任一方有人先出完牌即获胜。\n"
        "大小：3 4 5 6 7 8 9 T J Q K A 2 小王(BJ) 大王(RJ)，花色不分大小。\n"
        "[b]牌型[/b]：单张 5 · 对子 55 · 三张 555 · 三带一 5556 · 三带二 55566 · "
        "顺子 34567（五张起） · 连对 334455（三对起） · 飞机 333444(+56) · 四带二 4444 56 · "
        "炸弹 5555 · 王炸 BJ RJ。\n"
        "跟牌须同牌型且更大；炸弹可压一切非炸弹，王炸最大。每个炸弹翻倍。",
    ),
    "typing": (
        "[b]Typing[/b]: cards alone are played: 33, 3 3, 3s3h, 10 10, small letters too. Other "
        "actions: their word (burn AA, declare 2h), a number alone (2 calls two), or #3, the third "
        "of the list.\n"
        "p pass · h hint · Enter plays the hint · l list · b board · /text chat · ?? rules · "
        "q leave",
        "[b]输入[/b]：直接输入牌即出牌：33、3 3、3s3h、10 10 都可以，大小写不限。其他操作：输入名称"
        "（如 烧 AA、亮 2h）、单独的数字（2 即叫 2 分），或 #3 选列表第三项。\n"
        "p 不出 · h 提示 · 回车采用提示 · l 列表 · b 看牌桌 · /文字 聊天 · ?? 规则 · q 离开",
    ),
    # combinations
    "single": ("single", "单张"),
    "pair": ("pair", "对子"),
    "trio": ("trio", "三张"),
    "trio_single": ("trio with one", "三带一"),
    "trio_pair": ("trio with a pair", "三带二"),
    "straight": ("straight", "顺子"),
    "pair_straight": ("pairs in a row", "连对"),
    "trio_straight": ("trios in a row", "三顺"),
    "plane_single": ("plane with singles", "飞机带单"),
    "plane_pair": ("plane with pairs", "飞机带对"),
    "four_two_single": ("four with two", "四带二"),
    "four_two_pair": ("four with two pairs", "四带两对"),
    "bomb": ("bomb", "炸弹"),
    "rocket": ("rocket", "王炸"),
}


class Texts:
    """Sentences in one language. lang: "zh" or "en"; anything else reads as "en"."""

    def __init__(self, lang: str) -> None:
        self.lang = "zh" if lang.lower().startswith("zh") else "en"

    def __call__(self, key: str, **values: object) -> str:
        return SENTENCES[key][1 if self.lang == "zh" else 0].format(**values)

    def kind(self, name: str) -> str:
        """The name of a combination; the code itself when it is a new one."""
        return self(name) if name in SENTENCES else name


def language_of_environment() -> str:
    """ "zh" when the locale of the environment is Chinese, else "en"."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        value = os.environ.get(variable, "")
        if value:
            return "zh" if value.lower().startswith("zh") else "en"
    return "en"
