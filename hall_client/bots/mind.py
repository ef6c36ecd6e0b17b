"""What a bot thinks with: a view in, an action line out. It never sees a state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol


class Mind(Protocol):
    def choose(self, view: Mapping[str, Any]) -> str:
        """A legal action line for the seat whose view this is; only called in its turn."""
        ...
