"""Build hook: with PAIJU_COMPILE=1 a wheel has compiled rules beside the plain ones.

Editable installs stay plain: a compiled module would hide later changes of its source.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

sys.path.insert(0, str(Path(__file__).resolve().parent))
from compile_rules import REQUIRES, compile_rules

WANTED = os.environ.get("PAIJU_COMPILE") == "1"


class CompiledRules(BuildHookInterface[Any]):
    """RuntimeError when it is asked for and cannot be done: no silent plain wheel."""

    PLUGIN_NAME = "custom"

    def dependencies(self) -> list[str]:
        return list(REQUIRES) if WANTED else []

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if not WANTED or version != "standard":
            return
        self._made = tempfile.TemporaryDirectory()
        folder = Path(self._made.name)
        for path in compile_rules(Path(self.root), folder):
            build_data["force_include"][str(path)] = path.relative_to(folder).as_posix()
        build_data["pure_python"] = False
        build_data["infer_tag"] = True

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if WANTED and version == "standard":
            self._made.cleanup()
