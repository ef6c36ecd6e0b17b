"""docs/operations.md names files, units and commands: each is there."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from paiju.cli.main import PARTS, load

ROOT = Path(__file__).resolve().parent.parent.parent
PAGE = (ROOT / "docs/operations.md").read_text("utf-8")


def test_every_file_that_the_page_names_is_there() -> None:
    named = set(re.findall(r"\b(?:deploy|tests|scripts|docs)/[\w./@*-]*[\w/*]", PAGE))
    assert len(named) > 20
    for path in named:
        assert list(ROOT.glob(path.rstrip("/"))), path
    shipped = {unit.stem for unit in (ROOT / "deploy/systemd").glob("*.service")}
    for line in re.findall(r"systemctl (?:start|stop|enable --now) ([\w -]+)", PAGE):
        units = {word for word in line.split() if word.startswith("paiju-")}
        assert units <= shipped, line


def commands() -> Iterator[list[str]]:
    """Every `paiju ...` of the blocks, as words, continued lines joined."""
    for block in re.findall(r"(?m)(?:^(?: {4}|\t).*\n)+", PAGE):
        for line in block.replace("\\\n", " ").splitlines():
            found = re.search(r"(?:^|exec [\w-]+ |&& )paiju (\S.*)", line.strip())
            if found:
                yield shlex.split(found[1].partition(" # ")[0])


def test_every_command_of_the_page_exists_with_its_flags() -> None:
    seen = 0
    for words in commands():
        command: Any = load(words[0])
        at = 1
        while isinstance(command, typer.core.TyperGroup):
            command = command.commands[words[at]]
            at += 1
        options = {name for parameter in command.params for name in parameter.opts}
        options |= {name for parameter in command.params for name in parameter.secondary_opts}
        for word in words[at:]:
            if word.startswith("--"):
                assert word.partition("=")[0] in options, f"paiju {' '.join(words)}"
        seen += 1
    assert seen > 30 and set(PARTS) >= {"hall", "migrate"}
