"""Which version of Paiju this process runs, for who looks at it from outside."""

from __future__ import annotations

from importlib import metadata

from prometheus_client import CollectorRegistry, Gauge


def _installed() -> str:
    try:
        return metadata.version("paiju")
    except metadata.PackageNotFoundError:
        return "source"


VERSION = _installed()
"""When this was imported: what is installed later is not what runs. "source": a checkout."""


def show(registry: CollectorRegistry) -> None:
    """As the metric `paiju_build_info`: after a roll every process has the new version."""
    found = Gauge(
        "paiju_build_info", "1, with the version that runs.", ["version"], registry=registry
    )
    found.labels(VERSION).set(1)
