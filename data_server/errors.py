"""Why a call did not get as far as an answer.

    Exception
    ├── Refused (paiju.service.refusals)   an answer: code and parameters, nothing changed
    ├── NotDone                            a status; the call may be repeated
    │   ├── Overloaded                     RESOURCE_EXHAUSTED, retry-after-ms
    │   └── Unreachable                    UNAVAILABLE, retry-after-ms: no database, or draining
    └── Again                              inside a transaction: run it once more

Everything else that escapes is a defect: INTERNAL, logged with its trace, outcome unknown.
"""

from __future__ import annotations

import grpc


class NotDone(Exception):
    status = grpc.StatusCode.UNKNOWN

    def __init__(self, detail: str, *, retry_after_ms: int) -> None:
        super().__init__(detail)
        self.retry_after_ms = retry_after_ms


class Overloaded(NotDone):
    status = grpc.StatusCode.RESOURCE_EXHAUSTED


class Unreachable(NotDone):
    status = grpc.StatusCode.UNAVAILABLE


class Again(Exception):
    """What was read before the locks were held is no longer so."""
