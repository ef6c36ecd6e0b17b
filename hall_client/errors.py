"""What a client's call may raise.

HallError
|- Refused             the hall said no; nothing changed
|- OutcomeUnknown      no answer in time: it may have happened, or may still
|- ConnectionFailed    no gateway could be reached, or none took us in
|- SessionEnded        this session is over; reconnecting has stopped
|  |- Replaced         a newer session of the same player has taken over
|  |- Kicked           an operator ended it
|  `- TicketRefused    ticket and refresh token are no longer good: log in again
|- ClientClosed        the client was closed by its owner
`- TableLeft           the table is no longer followed (stood up, seat lost, closed)
"""

from __future__ import annotations

from paiju.service.refusals import sentence
from paiju.wire.v1 import common_pb2


class HallError(Exception):
    """Base of everything that this package raises on purpose.

    op: the operation id of the command that failed, as operators trace it (32 hex digits);
    empty when there is none.
    """

    op: str = ""


class Refused(HallError):
    """The hall did not carry a command out.

    code: stable and upper case, e.g. NOT_YOUR_TURN. params: values for the sentence.
    sentence: in the client's locale. retry_after_ms > 0: the same may succeed then.
    """

    def __init__(
        self,
        code: str,
        *,
        params: dict[str, str] | None = None,
        sentence: str = "",
        retry_after_ms: int = 0,
    ) -> None:
        super().__init__(code)
        self.code = code
        self.params = params or {}
        self.sentence = sentence or code
        self.retry_after_ms = retry_after_ms

    def __str__(self) -> str:
        return f"{self.code}: {self.sentence}"

    @classmethod
    def of(cls, message: common_pb2.Refusal, *, locale: str) -> Refused:
        """The exception for a refusal that came over the wire."""
        params = dict(message.params)
        return cls(
            message.code,
            params=params,
            sentence=message.text or sentence(message.code, params, locale),
            retry_after_ms=message.retry_after_ms,
        )


class OutcomeUnknown(HallError):
    """No answer came within the time allowed. A repeat must use the same operation id."""


class ConnectionFailed(HallError):
    """No gateway could be reached, or none took us in.

    reason: what became of the last attempt, a refusal's code (SERVER_FULL) if it was one.
    """

    def __init__(self, text: str, *, reason: str = "") -> None:
        super().__init__(f"{text} ({reason})" if reason else text)
        self.reason = reason


class SessionEnded(HallError):
    """This session is over; the client has stopped reconnecting."""

    def __init__(self, code: str, text: str = "") -> None:
        super().__init__(text or code)
        self.code = code


class Replaced(SessionEnded):
    """A newer session of the same player has taken over."""


class Kicked(SessionEnded):
    """An operator ended the session."""


class TicketRefused(SessionEnded):
    """Ticket and refresh token are no longer good."""


class ClientClosed(HallError):
    """The client was closed by its owner."""


class TableLeft(HallError):
    """The table is no longer followed: stood up, seat lost, or closed."""
