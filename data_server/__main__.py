"""`python -m data_server`: a data server set up by environment variables (PAIJU_...)."""

from __future__ import annotations

import asyncio
import sys

from data_server.server import serve
from data_server.settings import DataSettings
from paiju.service.settings import load


def main() -> int:
    try:
        settings = load(DataSettings)
        settings.configure_logs()
        asyncio.run(serve(settings))
    except ValueError as error:
        sys.stderr.write(f"data server: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
