"""The version of the programs that run."""

from __future__ import annotations

from importlib import metadata


def build() -> str:
    try:
        return metadata.version("paiju")
    except metadata.PackageNotFoundError:
        return "source"
