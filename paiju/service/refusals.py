"""Typed refusals: a stable code, parameters, and one catalogue of sentences (zh, en).

A refusal is an answer, not a failure: nothing changed, and the caller knows why. Codes of
a game's rules (`IllegalAction`) have their sentences in the game's package; everything
else is here. docs/contracts/refusals.md lists the codes.
"""

from __future__ import annotations

from collections.abc import Mapping

from paiju.wire.v1 import common_pb2

# code -> (en, zh). {name} is filled from the refusal's parameters.
SENTENCES: Mapping[str, tuple[str, str]] = {
    # format and protocol
    "MALFORMED": ("The message could not be read: {detail}.", "无法读取消息：{detail}。"),
    "TOO_LARGE": ("At most {limit} are allowed.", "超出上限 {limit}。"),
    "UNSUPPORTED": ("This server does not know that command.", "服务器不支持该命令。"),
    "UPGRADE_REQUIRED": (
        "This client is too old: protocol {major} is needed.",
        "客户端版本过旧，需要协议 {major}。",
    ),
    "HELLO_FIRST": ("Say hello first.", "请先发送 hello。"),
    "OP_REQUIRED": ("An operation id (UUIDv7, 16 bytes) is needed.", "缺少操作编号。"),
    "OP_REUSED": (
        "That operation id was used for another request.",
        "该操作编号已用于其他请求。",
    ),
    "OP_EXPIRED": ("That operation id is older than 24 hours.", "该操作编号已超过 24 小时。"),
    # accounts and sessions
    "LOGIN_FIRST": ("Log in first.", "请先登录。"),
    "ALREADY_LOGGED_IN": ("This connection has a session already.", "此连接已登录。"),
    "BAD_CREDENTIALS": ("Name or password is wrong.", "用户名或密码错误。"),
    "BAD_NAME": (
        "A name has 2 to 24 characters, none of them invisible: {detail}.",
        "名字须为 2 至 24 个可见字符：{detail}。",
    ),
    "NAME_TAKEN": ("That name is taken.", "该名字已被使用。"),
    "BAD_PASSWORD": (
        "A password has 8 to 256 characters.",
        "密码须为 8 至 256 个字符。",
    ),
    "BAD_SECRET": ("A device secret has 32 bytes.", "设备密钥须为 32 字节。"),
    "BAD_TICKET": ("The ticket is not valid; log in again.", "票据无效，请重新登录。"),
    "STALE_SESSION": ("A newer session has taken over.", "已有更新的会话。"),
    "LOCKED": (
        "Too many wrong passwords; try again in {seconds} s.",
        "密码错误次数过多，请在 {seconds} 秒后重试。",
    ),
    "BANNED": ("This account is closed.", "该账号已被封禁。"),
    "FROZEN": ("This account is frozen until {until}.", "账号已冻结至 {until}。"),
    "MAY_NOT_PLAY": ("This account may not play now: {reason}.", "该账号目前不能游戏：{reason}。"),
    "NO_SUCH_PLAYER": ("There is no such player.", "没有这个玩家。"),
    "NO_SUCH_REPORT": ("There is no such report.", "没有这条举报。"),
    "NO_SUCH_PENALTY": ("There is no such penalty.", "没有这条处罚。"),
    "BAD_POLICY": ("That is no policy: {detail}.", "处罚规则无效：{detail}。"),
    # load and life cycle
    "BUSY": ("The server is busy; try again shortly.", "服务器繁忙，请稍后再试。"),
    "RETRY": ("Not possible right now; try again shortly.", "暂时无法处理，请稍后再试。"),
    "DRAINING": ("This server is shutting down.", "服务器正在关闭。"),
    "SERVER_FULL": ("This server is full.", "服务器已满。"),
    "OUTCOME_UNKNOWN": (
        "No answer came; repeat the request with the same id.",
        "未收到应答，请用同一编号重试。",
    ),
    "INTERNAL": ("Something went wrong on the server.", "服务器内部错误。"),
    "TOO_FAST": ("Too many requests.", "请求过于频繁。"),
    # rooms, seats, tables
    "NO_SUCH_ROOM": ("There is no room {room}.", "没有房间 {room}。"),
    "NO_SUCH_TABLE": ("There is no such table.", "没有这张桌子。"),
    "NO_SUCH_SEAT": ("The table has seats 0 to {last}.", "座位号为 0 至 {last}。"),
    "NOT_YOUR_HAND": ("There is no such hand of yours.", "没有这一局，或者您未参与。"),
    "TABLE_LOCKED": (
        "This table is closed to others: its key is needed.",
        "此桌已上锁，需要口令。",
    ),
    "SEAT_TAKEN": ("That seat is taken.", "座位已有人。"),
    "ALREADY_SEATED": ("You have a seat already.", "你已经在座。"),
    "NOT_SEATED": ("You have no seat at that table.", "你不在这张桌子上。"),
    "ROOM_FULL": ("All tables of the room are taken.", "房间已满。"),
    "HAND_RUNNING": ("Not while a hand is running.", "牌局进行中，不能操作。"),
    "NO_HAND": ("No hand is running.", "没有进行中的牌局。"),
    "CONFIRM_ABANDON": (
        "Leaving now ends the hand and costs up to {penalty}.",
        "现在离开视为逃跑，最多扣除 {penalty}。",
    ),
    "BUY_IN_RANGE": (
        "The buy-in is between {minimum} and {maximum}.",
        "带入须在 {minimum} 与 {maximum} 之间。",
    ),
    "NOT_ENOUGH": ("You have {have}, {need} are needed.", "余额 {have}，需要 {need}。"),
    "BAD_AMOUNT": ("That amount is not possible.", "金额无效。"),
    "NO_SUCH_SERVER": ("There is no game server {server}.", "没有游戏服务器 {server}。"),
    "TABLE_STOPPED": ("An operator must look at this table first.", "此桌已停用，等待管理员处理。"),
    "ALREADY_CLAIMED": ("You have claimed this already.", "你已经抢过了。"),
    "STALE_DECISION": ("The table has moved on since.", "局面已变化。"),
    "BAD_CHAT": ("A line of chat has 1 to 200 characters.", "聊天内容须为 1 至 200 个字符。"),
    "BAD_REPORT": ("That report is incomplete: {detail}.", "举报内容不完整：{detail}。"),
    "GAME_STOPPED": ("This game is not played here at the moment.", "该游戏目前未开放。"),
    "TABLE_FINISHING": (
        "No newcomers at this table: another version of the game has begun.",
        "此桌仍在旧版本上，不再接受新玩家。",
    ),
    "CLIENT_TOO_OLD": (
        "This game needs build {build} of the client.",
        "该游戏需要客户端版本 {build}。",
    ),
    # game packages
    "NO_REPOSITORY": ("This hall has no repository of packages.", "本大厅没有游戏包仓库。"),
    "PACKAGE_REFUSED": ("The repository does not take this: {detail}.", "仓库拒绝：{detail}。"),
    "NO_SUCH_VERSION": ("There is no version {version}.", "没有版本 {version}。"),
    "BAD_ROOM_VALUES": ("The room cannot have that: {detail}", "房间不能这样设置：{detail}"),
    "NO_SUCH_SETTINGS": (
        "The room has no settings with number {number}.",
        "该房间没有编号为 {number} 的设置。",
    ),
    "PINNED": ("Pinned to {version}; unpin it first.", "已固定在 {version}，请先解除固定。"),
    "NO_SUCH_PACKAGE": ("There is no package {package}.", "没有游戏包 {package}。"),
    # between our servers
    "STALE_EPOCH": ("Epoch {have} of this host is over, {current} has begun.", "主机纪元已过期。"),
    "HOST_ELSEWHERE": ("Another server runs that host.", "该主机由其他服务器运行。"),
    "LEASE_LOST": ("The lease has run out; register again.", "租约已失效。"),
    "NO_HOST": ("No table host is free.", "没有可用的牌桌主机。"),
    "NOT_ZERO_SUM": ("The amounts do not sum to zero.", "金额之和不为零。"),
    "NO_SUCH_HAND": ("No such hand waits for a decision.", "没有等待处理的这一局。"),
    "NO_SUCH_SITTING": ("There is no such sitting.", "没有这个入座记录。"),
    "LINK_MISMATCH": (
        "The stream was opened for another peer: {detail}.",
        "连接不匹配：{detail}。",
    ),
    # notices: nobody asked, it just happened
    "REPLACED": (
        "You have logged in somewhere else; this connection ends.",
        "你已在别处登录，此连接将断开。",
    ),
    "KICKED": ("An operator has ended this session.", "管理员已结束此会话。"),
    "PENALTY_WARN": ("You have been warned: {what}.", "你受到警告：{what}。"),
    "PENALTY_FINE": ("You have been fined {taken} coins: {what}.", "你被罚 {taken} 财力：{what}。"),
    "PENALTY_FREEZE": (
        "Your account was frozen for {hours} hours: {what}.",
        "你的账号曾被冻结 {hours} 小时：{what}。",
    ),
    "PENALTY_BAN": ("Your account was closed: {what}.", "你的账号曾被封禁：{what}。"),
    "TABLE_RECOVERING": (
        "The table is being restored; please wait a moment.",
        "牌桌正在恢复，请稍候。",
    ),
    "TABLE_GONE": ("The table has closed.", "牌桌已关闭。"),
    "SEAT_LOST": ("You have lost your seat.", "你已失去座位。"),
    "SLOW_CONSUMER": (
        "Your connection is too slow to keep up; please reconnect.",
        "网络过慢，连接已断开，请重新连接。",
    ),
    "IDLE": ("Nothing was heard from you for too long.", "长时间没有操作，连接已断开。"),
}

LOCALES = ("en", "zh")


class Refused(Exception):
    """Raised inside a program to answer with a refusal; the state is unchanged.

    code: a key of SENTENCES or a game's reason. retry_after_ms > 0: try again then.
    """

    def __init__(self, code: str, *, retry_after_ms: int = 0, **params: object) -> None:
        super().__init__(code)
        self.code = code
        self.params = {name: str(value) for name, value in params.items()}
        self.retry_after_ms = retry_after_ms

    def __str__(self) -> str:
        return f"{self.code}: {sentence(self.code, self.params, 'en')}"

    def message(self) -> common_pb2.Refusal:
        """As it goes over the wire, without a sentence."""
        return common_pb2.Refusal(
            code=self.code, params=self.params, retry_after_ms=self.retry_after_ms
        )

    @classmethod
    def of(cls, message: common_pb2.Refusal) -> Refused:
        """The exception for a refusal that came over the wire."""
        refused = cls(message.code, retry_after_ms=message.retry_after_ms)
        refused.params = dict(message.params)
        return refused


class _Missing(dict[str, str]):
    def __missing__(self, key: str) -> str:
        return "?"


def sentence(code: str, params: Mapping[str, str], locale: str) -> str:
    """The sentence for a code; the code itself when the catalogue does not know it."""
    texts = SENTENCES.get(code)
    if texts is None:
        return code
    return texts[1 if locale.startswith("zh") else 0].format_map(_Missing(params))
