"""What is printed, and the status line above the prompt.

On a terminal the status line is rewritten in place while the person types; anywhere else
each status is printed once, as a line.
"""

from __future__ import annotations

from rich.console import Console, RenderableType
from rich.text import Text

_SAVE, _RESTORE, _UP, _CLEAR = "\x1b7", "\x1b8", "\x1b[1A", "\r\x1b[K"
PROMPT = "> "


class Screen:
    """Owner: the person's loop. in_place: somebody types and looks at the same terminal."""

    def __init__(self, console: Console, *, in_place: bool) -> None:
        self._console = console
        self._in_place = in_place
        self._about: object = None
        self._prompted = False  # a status line and a prompt are at the bottom

    def say(self, what: RenderableType, *, style: str = "", markup: bool = False) -> None:
        """Print above the status line. Strings are shown as they are, unless `markup`."""
        self._clear()
        if isinstance(what, str) and not markup:
            what = Text("".join(c for c in what if c.isprintable() or c == "\n"))
        self._console.print(what, style=style or None, highlight=False)

    def status(self, text: str, *, about: object, asks: bool = True) -> None:
        """How things stand. Elsewhere than on a terminal it is printed once per `about`, and
        only when it asks for something."""
        if self._in_place:
            if self._prompted:
                self._write(f"{_SAVE}{_UP}{_CLEAR}{self._cut(text)}{_RESTORE}")
            else:
                self._write(f"{self._cut(text)}\n{PROMPT}")
                self._prompted = True
        elif asks and about != self._about:
            self._console.print(Text(text), style="dim")
            self._about = about

    def typed(self) -> None:
        """A line was entered: the cursor is below the prompt."""
        if self._prompted:
            self._write(f"{_UP}{_CLEAR}{_UP}{_CLEAR}")
            self._prompted = False

    def _clear(self) -> None:
        if self._prompted:
            self._write(f"{_CLEAR}{_UP}{_CLEAR}")
            self._prompted = False

    def _cut(self, text: str) -> str:
        """One line and no more, whatever the width: wide characters count twice."""
        line = Text(text)
        line.truncate(max(10, self._console.width - 1))
        return f"\x1b[36m{line.plain}\x1b[0m"

    def _write(self, text: str) -> None:
        self._console.file.write(text)
        self._console.file.flush()
