"""`python -m game_server`: the game server of this machine, set up by PAIJU_... variables."""

import sys

from game_server.supervisor.main import main

if __name__ == "__main__":
    sys.exit(main())
