"""What the optional compiled build (docs/rules-guide.md) has to be told; nothing otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from mypy_extensions import mypyc_attr as mypyc_attr
else:
    C = TypeVar("C")

    def mypyc_attr(**_attributes: bool) -> Callable[[C], C]:
        """A decorator of classes that the compiler reads and that does nothing."""
        return lambda kind: kind
