"""Answers and notices as serialized updates, with their sentences filled in."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from google.protobuf.message import Message

from paiju.service.refusals import Refused
from paiju.wire import splice
from paiju.wire.v1 import common_pb2, hall_pb2

Sentences = Callable[[str, Mapping[str, str], str, str], str]
"""(code, params, locale, game) -> sentence; game is "" when no table is concerned."""

_UPDATE_ANSWER = splice.tag(1, 2)
_ANSWER_ID = splice.tag(hall_pb2.Answer.DESCRIPTOR.fields_by_name["id"].number, 0)
# The field of Answer that holds a message of this type.
_FIELDS: Mapping[type[Message], bytes] = {
    type(getattr(hall_pb2.Answer(), field.name)): splice.tag(field.number, 2)
    for field in hall_pb2.Answer.DESCRIPTOR.oneofs_by_name["result"].fields
}

_NOTICE_TAG = 0x1A  # Update.notice, field 3


def answer(id: int, result: Message) -> bytes:
    """The update that answers command `id` with a Welcome, Done, Seated ..."""
    body = splice.number(_ANSWER_ID, id)
    body += splice.sized(_FIELDS[type(result)], result.SerializeToString())
    return splice.sized(_UPDATE_ANSWER, body)


def refusal(id: int, refused: Refused, *, locale: str, game: str, sentences: Sentences) -> bytes:
    """The update that refuses command `id`."""
    message = refused.message()
    message.text = sentences(refused.code, refused.params, locale, game)
    return hall_pb2.Update(answer=hall_pb2.Answer(id=id, refusal=message)).SerializeToString()


def notice(
    code: str,
    *,
    locale: str,
    sentences: Sentences,
    params: Mapping[str, str] | None = None,
    table: common_pb2.TableRef | None = None,
) -> bytes:
    """The update that says something nobody asked for."""
    filled = dict(params or {})
    return hall_pb2.Update(
        notice=hall_pb2.Notice(
            code=code, params=filled, table=table, text=sentences(code, filled, locale, "")
        )
    ).SerializeToString()


def translated(update: bytes, *, locale: str, sentences: Sentences) -> bytes:
    """A host's update for one player: a notice gets its sentence, all else stays as it is."""
    if not update or update[0] != _NOTICE_TAG:
        return update
    parsed = hall_pb2.Update.FromString(update)
    if parsed.WhichOneof("body") != "notice" or parsed.notice.text:
        return update
    told = parsed.notice
    told.text = sentences(told.code, told.params, locale, "")
    return parsed.SerializeToString()
