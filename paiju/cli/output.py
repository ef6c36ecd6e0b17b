"""What commands print: people read standard output, programs read `--json`.

With `--json -` standard output is JSON alone; everything else goes to standard error.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any, NoReturn

import typer
from rich.console import Console


def console(json_file: str | None) -> Console:
    """Where a command prints for people."""
    return Console(stderr=json_file == "-", soft_wrap=True)


def write_json(json_file: str | None, value: Any) -> None:
    """Write a result to FILE, or to standard output for "-"; nothing when None."""
    if json_file is None:
        return
    text = json.dumps(value, ensure_ascii=False) + "\n"
    if json_file == "-":
        sys.stdout.write(text)
        return
    try:
        Path(json_file).write_text(text, "utf-8")
    except OSError as error:
        fail(f"--json {json_file}: {error.strerror}", code=2)


def check_writable(json_file: str | None) -> None:
    """Before a long run: whether its result could be written; else a sentence, code 2."""
    if json_file in (None, "-"):
        return
    path = Path(json_file or "")
    new = not path.exists()
    try:
        with path.open("a"):
            pass
        if new:
            path.unlink()
    except OSError as error:
        fail(f"{json_file} cannot be written: {error.strerror}", code=2)


def why(error: OSError) -> str:
    """What the system refused, and where, without its numbers."""
    reason = (error.strerror or str(error) or type(error).__name__).lower()
    return f"{error.filename}: {reason}" if error.filename else reason


def fail(sentence: str, *, code: int = 1) -> NoReturn:
    """End the command with one sentence on standard error."""
    Console(stderr=True, soft_wrap=True).print(sentence, style="red", markup=False, highlight=False)
    raise typer.Exit(code)
