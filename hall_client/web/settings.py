"""Settings of the web hall. PAIJU_WEB_..., then these defaults."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator
from pydantic_settings import NoDecode

from paiju.service.settings import Settings
from paiju.wire import server_keys


class WebSettings(Settings):
    """Every field is read from `PAIJU_` + its name in upper case."""

    data_dir: Path = Path(".paiju")
    """Where `hall.json` of the running hall lies, unless the two settings below say it."""
    web_gateways: Annotated[tuple[str, ...], NoDecode] = ()
    """Where browsers find the hall: wss://HOST:PORT (or ws://), several separated by commas."""
    web_server_keys: Annotated[tuple[str, ...], NoDecode] = ()
    """What they pin: the public keys of the hall, newest first, separated by commas."""
    web_ca: Path | None = None
    """PEM of the authorities that the gateways' certificates come from; None: the system's. For
    robots and new packages: the page itself is in a browser, which has its own."""
    web_listen: str = "127.0.0.1:0"
    """For http: the loopback, where browsers take it for secure. Empty: not at all."""
    web_tls_listen: str = ""
    """For https; needs the two files."""
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    web_robots: int = Field(default=30, ge=0, le=300)
    """Robots at a time that players may call; 0: none."""
    web_robots_think_s: float = Field(default=1.0, ge=0, le=10)
    """How long a robot seems to think at most, so that a person can follow."""
    log_level: str = "INFO"

    @field_validator("web_gateways", "web_server_keys", mode="before")
    @classmethod
    def _split(cls, value: Any) -> Any:
        parts = value.split(",") if isinstance(value, str) else value
        return tuple(part.strip() for part in parts if part.strip())

    @field_validator("web_gateways")
    @classmethod
    def _are_sockets(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for address in value:
            if not address.startswith(("wss://", "ws://")):
                raise ValueError(f"{address!r} is no address of a gateway; use wss://HOST:PORT")
        return value

    @field_validator("web_server_keys")
    @classmethod
    def _are_keys(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for key in value:
            server_keys.decode(key)
        return value

    @model_validator(mode="after")
    def _knows_gateways_and_keys(self) -> WebSettings:
        if bool(self.web_gateways) != bool(self.web_server_keys):
            raise ValueError("web_gateways and web_server_keys belong together")
        return self

    @model_validator(mode="after")
    def _has_both_files(self) -> WebSettings:
        if self.web_tls_listen and (self.tls_certificate is None or self.tls_key is None):
            raise ValueError("web_tls_listen needs tls_certificate and tls_key")
        if not self.web_listen and not self.web_tls_listen:
            raise ValueError("web_listen or web_tls_listen is needed")
        return self
