"""Three machines with the files of deploy/systemd: settings, secrets, firewall, the page.

What systemd itself does (users, sandboxes, restarts, the journal) is not in it.
"""

from __future__ import annotations

import asyncio
import json
import secrets
import shutil
import ssl
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from hall_client import HallClient, Tls
from hall_client.bots.mind import GameMind
from hall_client.load.driver import Driver, LoadPlan
from paiju.rules.registry import Registry
from paiju.wire.server_keys import ServerKeys, pinned
from tests.cluster.machines import Machine, Network, allowed
from tests.operate.test_systemd import FOLDER, environment

pytestmark = [
    pytest.mark.soak,
    pytest.mark.skipif(not allowed(), reason="needs the right to make network namespaces"),
    pytest.mark.skipif(shutil.which("nft") is None, reason="nft is missing: Debian's nftables"),
]
SECRETS_OF_A = ("ticket-keys.json", "cluster-token", "admin-key")
SECRETS_OF_GAME_SERVERS = (
    *("cluster-token", "cell-secret", "ray-token", "journal-key", "seal-keys.json"),
)


class Bare:
    """A: data server and page. B: head of the cell. C: joined it. D: a stranger."""

    def __init__(self, network: Network, folder: Path) -> None:
        self.a, self.b, self.c, self.d = (network.machine(name, folder) for name in "abcd")
        self.office = folder / "office"
        self.office.mkdir()
        self._make_secrets()
        for machine in (self.a, self.b, self.c):
            rules = FOLDER / ("data-server.nft" if machine is self.a else "paiju.nft")
            machine.filter(self._here(rules.read_text()))
        # This process plays from the bridge, as players do.
        self.start(self.a, "data-server", "var/data-server.json")
        self.start(self.b, "game-server", "var/game-server.json")
        self.start(self.c, "game-server", "var/game-server.json")
        self.start(self.a, "hall", "var-hall/web.json", PAIJU_WEB_SERVER_KEYS=self.server_keys)

    def _make_secrets(self) -> None:
        """In the office, and then only what each machine needs."""
        at, folder = self.office / "authority", self.office / "secrets"
        made = self.d.run("admin", "secrets", "make", "--dir", str(folder))
        self.server_keys = made.strip()
        certificates = ("admin", "certificates")
        self.d.run(*certificates, "init", "--cell", "cell-1", "--dir", str(at))
        a, b, c = ("--address", self.a.address), self.b.address, self.c.address
        for role, name, addresses, machines in (
            ("data-server", "data-a", a, [self.a]),
            ("game-server", "gs-b", ("--address", b), [self.b]),
            ("game-server", "gs-c", ("--address", c), [self.c]),
            ("players", "edge", (*a, "--address", b, "--address", c), [self.a, self.b, self.c]),
        ):
            issue = ("issue", "--role", role, "--name", name, *addresses, "--dir", str(at))
            self.d.run(*certificates, *issue)
            for machine in machines:
                for file in (f"{name}.pem", f"{name}-key.pem", "ca.pem"):
                    (machine.folder / "etc/tls").mkdir(parents=True, exist_ok=True)
                    shutil.copy(at / file, machine.folder / "etc/tls")
        for machine in (self.a, self.b, self.c):
            (machine.folder / "etc/secrets").mkdir()
            for name in SECRETS_OF_A if machine is self.a else SECRETS_OF_GAME_SERVERS:
                shutil.copy(folder / name, machine.folder / "etc/secrets")

    def _here(self, text: str) -> str:
        """The addresses of this network in place of those in the files."""
        for number, machine in enumerate((self.a, self.b, self.c), 1):
            text = text.replace(f"10.0.0.{number}", machine.address)
        return text

    def start(self, machine: Machine, program: str, state: str, **more: str) -> None:
        given = environment(f"{program}.env", "C" if machine is self.c else "")
        folder = str(machine.folder)
        for name, value in given.items():
            here = self._here(value).replace("/etc/paiju", f"{folder}/etc")
            given[name] = here.replace("/var/lib/paiju", f"{folder}/var")
        if program == "data-server":
            given["PAIJU_DATABASE_URL"] = ""  # the SQLite file of the folder
        machine.start(program, state=state, environment={**given, **more})

    async def call_robots(self, trusted: ssl.SSLContext) -> None:
        client = HallClient(
            f"wss://{self.b.address}:7743",
            server_keys=pinned(self.server_keys),
            tls=Tls.load(self.office / "authority/ca.pem"),
        )
        await client.connect()
        try:
            await client.guest(secrets.token_bytes(32))
            table = await client.quick_join("doudizhu.novice")
            ref = {"room": table.ref.room, "shard": table.ref.shard, "table": table.ref.table}
            request = urllib.request.Request(
                f"https://{self.a.address}:7781/robots",
                data=json.dumps(ref).encode(),
                headers={"Content-Type": "application/json"},
            )

            def post() -> Any:
                with urllib.request.urlopen(request, context=trusted, timeout=60) as answer:
                    return json.load(answer)

            assert await asyncio.to_thread(post) == {"robots": 2}
        finally:
            await client.close()


def test_three_bare_machines_with_the_shipped_files(tmp_path: Path) -> None:
    with Network() as network:
        bare = Bare(network, tmp_path)
        for address in (bare.b.address, bare.c.address):
            for port in (7700, 7701, 7743, 7744):
                assert bare.d.reaches(address, port)
            assert not bare.d.reaches(address, 7790)
            assert bare.a.reaches(address, 7790)
        assert not bare.d.reaches(bare.b.address, 7900)
        assert not bare.a.reaches(bare.b.address, 7900)
        assert bare.c.reaches(bare.b.address, 7900)
        for port, may in ((7410, False), (7412, False), (7411, False), (7781, True)):
            assert bare.d.reaches(bare.a.address, port) is may
        assert bare.b.reaches(bare.a.address, 7410)

        trusted = ssl.create_default_context(cafile=bare.office / "authority/ca.pem")
        page = f"https://{bare.a.address}:7781/hall.json"
        with urllib.request.urlopen(page, context=trusted, timeout=10) as answer:
            text = answer.read().decode()
        assert bare.server_keys in text and f"wss://{bare.c.address}:7744" in text
        # Somebody waits at a table; the page, on another machine than all hosts, sends company.
        asyncio.run(bare.call_robots(trusted))

        plan = LoadPlan(
            gateways=tuple(
                f"grpcs://{m.address}:{7700 + n}" for m in (bare.b, bare.c) for n in (0, 1)
            ),
            server_keys=ServerKeys.load(bare.office / "secrets/seal-keys.json").public,
            room="doudizhu.novice",
            players=6,
            hands=4,
            drops=0,
            seed=1,
            deadline_s=90,
            tls=Tls.load(bare.office / "authority/ca.pem"),
        )
        registry = Registry.default()
        result = asyncio.run(Driver(plan, make_mind=lambda _: GameMind(registry)).run())
        assert result.errors == [] and result.hands >= 4
