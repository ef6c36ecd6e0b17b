"""Settings of the web hall. PAIJU_WEB_..., then these defaults."""

from __future__ import annotations

from pathlib import Path

from pydantic import Field, model_validator

from paiju.service.logs import LogSettings


class WebSettings(LogSettings):
    """Every field is read from `PAIJU_` + its name in upper case."""

    program = "web"

    data_dir: Path = Path(".paiju")
    """Where `hall.json` of the running hall lies."""
    web_listen: str = "127.0.0.1:0"
    """For http: the loopback, where browsers take it for secure. Empty: not at all."""
    web_tls_listen: str = ""
    """For https; needs the two files."""
    tls_certificate: Path | None = None
    """Shown to browsers: PEM file."""
    tls_key: Path | None = None
    """The certificate's private key."""
    web_robots: int = Field(default=30, ge=0, le=300)
    """Robots at a time that players may call; 0: none."""
    web_robots_think_s: float = Field(default=1.0, ge=0, le=10)
    """How long a robot seems to think at most, so that a person can follow."""

    @model_validator(mode="after")
    def _has_both_files(self) -> WebSettings:
        if self.web_tls_listen and (self.tls_certificate is None or self.tls_key is None):
            raise ValueError("web_tls_listen needs tls_certificate and tls_key")
        if not self.web_listen and not self.web_tls_listen:
            raise ValueError("web_listen or web_tls_listen is needed")
        return self
