"""What the doctor found."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Finding:
    """What was looked at. ok False: somebody should do something about it, namely `advice`."""

    name: str
    ok: bool
    detail: str
    advice: str = ""
