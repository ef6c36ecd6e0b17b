"""What the games call things, in English and Chinese: for every view, line and event as data.

Keys are those of the rules: of views (`FACTS`, a dotted name for what lies inside an object),
verbs of action lines (`VERBS`), values (`VALUES`) and kinds of events (`EVENTS`). A game that
is not named here is shown all the same, with the words that its rules use.
"""

from __future__ import annotations

from collections.abc import Mapping

Words = tuple[str, str]
"""(en, zh)."""

FACTS: Mapping[str, Words] = {
    # climbing games
    "turned_up": ("Turned up", "明牌"),
    "bottom": ("Bottom cards", "底牌"),
    "base": ("Call", "底分"),
    "multiplier": ("Multiplier", "倍数"),
    "robs": ("Robs", "抢地主次数"),
    "blind": ("Grabbed blindly", "闷抓"),
    "raised": ("Raising against", "踢拉对象"),
    "role": ("You are", "你的身份"),
    "peek.bottom": ("Bottom, for you alone", "底牌（只有你看到）"),
    "peek.mate": ("Your partner holds", "同伴的手牌"),
    "peek.0": ("Bottom card 1", "第一张底牌"),
    "peek.1": ("Bottom card 2", "第二张底牌"),
    "peek.2": ("Bottom card 3", "第三张底牌"),
    "figs": ("Your figs", "你的无花果"),
    # Gouji
    "hand_number": ("Hand of the series", "系列第几局"),
    "standing.revolution": ("Revolution", "革命"),
    "standing.credits": ("Headless credits", "无头手数"),
    "standing.opened": ("Opened", "已开点"),
    "standing.announced": ("Announced", "已宣点"),
    "standing.finished": ("Finished", "已走"),
    "standing.failed": ("Failed burns", "烧牌失败"),
    "standing.melee": ("Melee", "四户乱缠"),
    "debts": ("Tributes owed", "待进贡"),
    "payable": ("May be paid", "可以进贡的牌"),
    "trading.paying": ("Being paid", "正在进贡"),
    "trading.need": ("Wanted", "需要"),
    "trading.bought": ("Threes bought", "已买三"),
    "trading.show": ("Best show", "当前亮牌"),
    "passed": ("Have passed", "已过牌"),
    "burn.burner": ("Burning", "烧牌人"),
    "burn.victim": ("Burned", "被烧"),
    "burn.window": ("A burn is asked for", "等待烧牌"),
    "burn.may": ("May burn", "可以烧"),
    "burned": ("Burns", "烧牌"),
    "smothered": ("Smothered", "闷"),
    # Shengji
    "level": ("Level", "级牌"),
    "levels": ("Levels of the teams", "两队级数"),
    "trump": ("Trumps", "主"),
    "claim.seat": ("Declared by", "亮主"),
    "claim.cards": ("Declared", "亮的牌"),
    "claim.suit": ("Declared suit", "亮的花色"),
    "undealt": ("Cards to be dealt", "未发的牌"),
    "winning": ("Winning", "最大"),
    "points": ("Points of the scorers", "闲家得分"),
    "tricks": ("Tricks", "已打墩数"),
    "burier": ("Buried by", "扣底"),
    "buried": ("You buried", "你扣的底"),
    "turned": ("Turned", "翻牌"),
    "dry_pot": ("Dry pot", "干锅"),
    "owed": ("Cards of tribute", "进贡张数"),
    "tribute.payer": ("Tribute from", "进贡人"),
    "tribute.cards": ("Cards paid", "已贡张数"),
    "counters": ("Counters", "反主"),
    "bottom_counters": ("Counters of the bottom", "反底"),
    # bull games
    "priority": ("Priority", "优先"),
    "bet": ("Your bet", "你的下注"),
    "group": ("Your three", "你摆的三张"),
    # Hot Pot
    "pot": ("Pot", "锅底"),
    "turn": ("Turns played", "已打几把"),
    "turns": ("Turns in all", "共几把"),
    "posts": ("The two cards", "两张门牌"),
    "wins_on": ("Wins on", "中"),
    "costly": ("Pillars", "撞柱"),
    "limits": ("Stake from, to", "下注范围"),
    "has": ("Who stakes has", "下注人财力"),
    "seen": ("Seen since the shuffle", "洗牌后已见"),
    # results
    "result.result": ("Ended", "结局"),
    "result.reason": ("Because", "原因"),
    "result.places": ("Places", "名次"),
    "result.sweep": ("Sweep", "串三户"),
    "result.points": ("Points of the scorers", "闲家得分"),
    "result.bottom_times": ("Bottom counts", "抠底倍数"),
    "result.side": ("Going up", "升级方"),
    "result.levels": ("Levels", "升几级"),
    "result.team_levels": ("Levels of the teams", "两队级数"),
    "result.special": ("Special", "特殊"),
    "result.pot": ("Left in the pot", "锅底剩余"),
}

COLUMNS: Mapping[str, Words] = {
    "discs": ("discs", "子数"),
    "bets": ("bet", "下注"),
    "change": ("so far", "累计"),
    "kinds": ("hand", "牌型"),
    "groups": ("three", "三张"),
    "open_hands": ("open hand", "明牌"),
    "known": ("has shown", "已亮"),
    "chain": ("raises", "踢拉"),
    "chosen": ("ready", "已定"),
    "declared": ("shown", "已开牌"),
    "doubled": ("doubled", "加倍"),
    "said": ("said", "表态"),
}
"""Keys of views that are lists with a value for each seat, as columns of the seats' table."""

ROLES: Mapping[str, Words] = {
    "landlord": ("landlord", "地主"),
    "hidden": ("hidden landlord", "暗地主"),
    "banker": ("banker", "庄家"),
    "dealer": ("dealer", "庄家"),
    "black": ("black", "黑方"),
}
"""Keys of views that name a seat, as a word behind that seat's name."""

_SILENT = """
    board moves
    phase to_act hand legal early counts table shown laid trick bids result hands first last step
    played plays called shows eyes revealed hidden_known answered answer asked open gone voids seat
    leader under swappable next_banker chips stake kind deltas result.deltas result.fees
    result.winner result.next_dealer result.match_winner
"""
SILENT = frozenset(_SILENT.split())
"""Shown elsewhere, told as it happens, or of use to programs alone."""

_SEATS_IN = """
    raised burn.burner burn.victim burn.may claim.seat winning burier tribute.payer passed priority
    standing.opened standing.announced standing.finished standing.failed standing.revolution
    result.places smothered
"""
SEATS_IN = frozenset(_SEATS_IN.split())
"""Whose value is a seat, or a list of seats."""

VERBS: Mapping[str, Words] = {
    "play": ("play", "出"),
    "pass": ("pass", "不出"),
    "call": ("call", "叫"),
    "rob": ("rob", "抢地主"),
    "look": ("look", "看牌"),
    "blind_grab": ("grab blindly", "闷抓"),
    "dao": ("dao", "倒"),
    "la": ("la", "拉"),
    "lei": ("lei", "勒"),
    "wo": ("wo", "卧"),
    "show_hand": ("show hand", "明牌"),
    "use_golden_eye": ("golden eye", "火眼金睛"),
    "reveal": ("reveal", "亮明"),
    "double": ("double", "加倍"),
    "declare": ("declare", "亮"),
    "counter": ("counter", "反"),
    "reinforce": ("reinforce", "加固"),
    "self_counter": ("counter oneself", "自反"),
    "take_bottom": ("take bottom", "拿底"),
    "bury": ("bury", "扣底"),
    "counter_bottom": ("counter bottom", "反底"),
    "tribute": ("pay tribute", "进贡"),
    "return_tribute": ("return tribute", "还贡"),
    "swap_joker": ("swap joker", "换王"),
    "throw": ("throw", "甩"),
    "revolution": ("revolution", "革命"),
    "want_head": ("want head", "要头"),
    "no_head": ("no head", "无头"),
    "buy_three": ("buy three", "买三"),
    "ask_three": ("ask for a three", "要三"),
    "auto_revolution": ("revolution for want of a three", "无三革命"),
    "announce_point": ("announce", "宣点"),
    "show_lead": ("show for the lead", "上班"),
    "yield": ("yield", "让牌"),
    "burn": ("burn", "烧"),
    "arrange": ("arrange", "摆牌"),
    "hint": ("arrange by itself", "自动摆牌"),
    "bid_banker": ("bid for the bank", "抢庄"),
    "bet": ("bet", "下注"),
    "fold": ("fold", "放弃"),
    "stake": ("stake", "押"),
    "raise": ("raise", "加"),
}

VALUES: Mapping[str, Words] = {
    "finished": ("played to its end", "正常结束"),
    "escaped": ("somebody ran away", "有人逃跑"),
    "redeal": ("dealt anew", "重新发牌"),
    "cancelled": ("could not be played", "无法开局"),
    "void": ("void", "作废"),
    "open": ("open landlord", "明地主"),
    "farmer": ("farmer", "农民"),
    "dealer": ("dealers", "庄家方"),
    "opp": ("scorers", "闲家方"),
    "escape": ("somebody ran away", "有人逃跑"),
    "wuhuaguo": ("a fig was declared", "有人亮无花果"),
    "none": ("none", "无"),
    "butterfly": ("butterfly", "蝴蝶"),
    "pair_run": ("pairs in a row", "连对"),
    "triple_run": ("trios in a row", "三顺"),
    **{f"bull_{n}": (f"bull {n}", f"牛{n}") for n in range(1, 10)},
    "no_bull": ("no bull", "没牛"),
    "bull_bull": ("bull-bull", "牛牛"),
    "four_bomb": ("four bomb", "四炸"),
    "five_flower": ("five flower", "五花牛"),
    "four_flowers": ("four flowers", "四花牛"),
    "five_flowers": ("five flowers", "五花牛"),
    "spread": ("apart", "两边"),
    "out": ("all cards played", "出完"),
    "consecutive": ("neighbours: no stake", "连牌，不能下注"),
    "between": ("between", "中"),
    "pillar": ("a pillar", "撞柱"),
    "triple": ("the third one: the whole pot", "三同，赢锅底"),
    "pair_miss": ("not the third one", "没中"),
    "ace_king": ("A and K", "A 与 K"),
    "outside": ("outside", "不中"),
    "fold": ("folded", "放弃"),
    "four_threes": ("four threes", "四个3"),
    "four_twos": ("four twos", "四个2"),
    "six_pairs": ("six pairs", "六对半"),
    "dragon": ("dragon", "一条龙"),
    "all_small": ("all small", "全小"),
    "smother": ("smother", "闷贡"),
    "point": ("point", "点贡"),
    "fall": ("fall", "落贡"),
    "n": ("no trumps", "无主"),
    "s": ("♠", "♠"),
    "h": ("♥", "♥"),
    "c": ("♣", "♣"),
    "d": ("♦", "♦"),
}

EVENTS: Mapping[str, Words] = {
    # {name}: the seat that did it; other seats are named, too; {cards} are shown with suits
    "announce": ("{name}: announced {announced}", "{name}：宣点 {announced}"),
    "ante": ("Everybody pays {ante}; {pot} in the pot.", "每人交 {ante}，锅底 {pot}。"),
    "alarm": ("{name}: one card left!", "{name} 只剩一张！"),
    "arrange": ("{name}: arranged {group}", "{name} 摆好了 {group}"),
    "ask_three": ("{name}: ask for a three", "{name} 要三"),
    "auto_revolution": ("{name}: revolution, for want of a three", "{name}：无三革命"),
    "banker": ("Banker: {name}", "{name} 坐庄。"),
    "bet": ("{name}: bet {bet}", "{name} 已下注 {bet}"),
    "bets": ("Bets: {bets}", "下注：{bets}"),
    "bid": ("{name}: bid for the bank", "{name} 抢庄"),
    "blind_grab": ("{name}: grab blindly!", "{name} 闷抓！"),
    "bottom": ("Bottom: {cards}", "底牌：{cards}"),
    "burn": ("{name}: burn {cards}", "{name} 烧：{cards}"),
    "burn_failed": ("{name}: the burn has failed.", "{name} 烧牌失败。"),
    "burn_succeeded": ("{name}: burned {victim}", "{name} 烧了 {victim}。"),
    "bury": ("{name}: buried {cards}", "{name} 已扣底 {cards}"),
    "buy_three": ("{name}: a three for {cards}", "{name} 用 {cards} 买三"),
    "chain": ("{name} about {farmer}: raises {raise}", "{name} 对 {farmer}：加 {raise}"),
    "claim": ("{name}: {verb} {cards}", "{name}：{verb} {cards}"),
    "counter_bottom": ("{name}: counter the bottom, {cards}", "{name} 反底：{cards}"),
    "declare": ("{name}: {hand} ({kind})", "{name} 开牌 {hand}（{kind}）"),
    "doubles": ("Doubled: {doubled}", "加倍：{doubled}"),
    "exempt": ("{name}: exempt from tribute, {cards}", "{name} 抗贡：{cards}"),
    "eye": ("{name}: a look at a bottom card", "{name} 看了一张底牌。"),
    "head": ("{name}: wants the head {wanted}", "{name}：要头 {wanted}"),
    "hidden": ("The hidden landlord: {name}", "{name} 是暗地主。"),
    "lead": ("First to lead: {name}", "{name} 先出。"),
    "look": ("{name}: look", "{name} 看牌。"),
    "move": ("{name}: {square}", "{name}：{square}"),
    "no_wuhuaguo": ("{name}: no fig", "{name}：没有无花果"),
    "out": ("{name}: out, place {place}", "{name} 走了，第 {place} 个。"),
    "part": ("The pot is shared; {pot} stays.", "平分锅底，剩 {pot}。"),
    "posts": ("{name}: {cards} ({kind})", "{name} 的门牌 {cards}（{kind}）"),
    "priority": ("Priority: {name}", "{name} 优先。"),
    "return_tribute": ("{from} → {to}: {cards} (back)", "{from} 还 {cards} 给 {to}"),
    "reveal": ("{name}: revealed!", "{name} 亮明身份！"),
    "revolution": ("{name}: revolution!", "{name}：革命！"),
    "rob": ("{name}: rob {rob}", "{name}：抢地主 {rob}"),
    "show": ("{name}: open hand!", "{name} 明牌。"),
    "show_lead": ("{name}: shown {cards}", "{name} 亮 {cards}"),
    "stake": ("{name}: stake {stake}", "{name} 押 {stake}"),
    "swap_joker": ("{name}: joker swapped, {cards}", "{name} 换王：{cards}"),
    "take_bottom": ("{name}: take bottom", "{name} 拿底。"),
    "throw": ("{name}: throw {cards}", "{name} 甩 {cards}"),
    "tribute": ("{from} → {to}: {cards} (tribute)", "{from} 进贡 {cards} 给 {to}"),
    "trick": ("Trick: {winner} ({points} points)", "{winner} 得这一墩（{points} 分）。"),
    "trump": ("Trumps: {trump}; dealer: {dealer}", "主：{trump}；庄家：{dealer}"),
    "turn": ("{name}: {outcome} {third} {change}", "{name}：{outcome} {third} {change}"),
    "turned": ("Turned: {cards}", "翻牌：{cards}"),
    "wuhuaguo": ("{name}: fig! {figs}", "{name} 亮无花果：{figs}"),
    "yield": ("{name}: yield", "{name} 让牌。"),
}

UNTOLD = frozenset(
    {"deal", "dealt", "hand", "end", "showdown", "shuffle", "answered", "doubling", "mate"}
)
"""Events that the board tells better."""


def word(table: Mapping[str, Words], key: str, lang: str) -> str | None:
    """The word in that language; None when nobody has taught one."""
    found = table.get(key)
    return None if found is None else found[1 if lang == "zh" else 0]


def named(table: Mapping[str, Words], key: str, lang: str) -> str:
    """`word`, or what the rules write where nobody has taught one."""
    return word(table, key, lang) or key.replace("_", " ").replace(".", " ")


def value(text: str, lang: str) -> str:
    """A value of the rules in words."""
    return named(VALUES, text, lang)
