"""How a session speaks: answers, refusals and notices in the player's language."""

from __future__ import annotations

from google.protobuf.message import Message

from game_server.gateway import answers
from game_server.gateway.context import Context
from game_server.gateway.feed import Feed
from game_server.gateway.subscriptions import Subscription
from paiju.service.refusals import Refused
from paiju.wire.v1 import hall_pb2


class Voice:
    def __init__(self, context: Context, feed: Feed) -> None:
        self._context = context
        self._feed = feed
        self.locale = "en"

    def answer(self, kind: str, id: int, result: Message, now: float) -> None:
        self._context.observe(kind, "ok")
        self._feed.put(answers.answer(id, result), now)

    def refuse(self, kind: str, id: int, refused: Refused, now: float, *, room: str = "") -> None:
        """room: where a refusal of the game's rules comes from."""
        context = self._context
        context.observe(kind, refused.code)
        game = context.game_of(room) if room else ""
        update = answers.refusal(
            id, refused, locale=self.locale, game=game, sentences=context.sentences
        )
        self._feed.put(update, now)

    def notice(
        self, code: str, now: float, *, table: Subscription | None = None, **params: str
    ) -> None:
        update = answers.notice(
            code,
            locale=self.locale,
            sentences=self._context.sentences,
            params=params,
            table=table.ref() if table is not None else None,
        )
        self._feed.put(update, now)

    def word(self, notice: hall_pb2.PenaltyNotice) -> None:
        """Fill in the sentence of what was decided about the player."""
        params = {
            "what": notice.reason or notice.kind,
            "taken": str(notice.taken),
            "hours": str(notice.amount),
        }
        code = f"PENALTY_{notice.action.upper()}"
        notice.text = self._context.sentences(code, params, self.locale, "")

    def penalty(self, notice: hall_pb2.PenaltyNotice, now: float) -> None:
        told = hall_pb2.PenaltyNotice()
        told.CopyFrom(notice)
        self.word(told)
        self._feed.put(hall_pb2.Update(penalty=told).SerializeToString(), now)

    def translated(self, update: bytes) -> bytes:
        """A host's notice with its sentence; any other update as it is."""
        return answers.translated(update, locale=self.locale, sentences=self._context.sentences)
