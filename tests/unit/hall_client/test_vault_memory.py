"""An attacker with the source at hand who reads and writes the client's memory.

The victim is a process with a vault. Each round it keeps a new value; the attacker scans all
its writable memory and overwrites what he wants; then the victim reads. It must get the very
value it kept, or notice: never another one. Budget: 15 s.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
_VICTIM = """
import sys
from hall_client.vault import Tampered, Vault
vault = Vault(writes_per_key=50)
for line in sys.stdin:
    verb, slot, *value = line.split()
    if verb == "put":
        vault.put(slot, bytes.fromhex(value[0]))
        print(vault._kept[slot].sealed.hex(), flush=True)  # a gift to the attacker
    else:
        try:
            print(vault.get(slot).hex(), flush=True)
        except Tampered:
            print("tampered", flush=True)
"""


class Victim:
    def __init__(self) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-c", _VICTIM],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
        )
        self.pid = self._process.pid

    def say(self, *words: str) -> str:
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(" ".join(words) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def end(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def victim() -> Iterator[Victim]:
    made = Victim()
    yield made
    made.end()


def overwrite(pid: int, found: bytes, put: bytes) -> int:
    """Replace every occurrence in writable memory; how many there were."""
    assert len(found) == len(put)
    hits = 0
    process = Path(f"/proc/{pid}")
    with (process / "maps").open() as maps, (process / "mem").open("r+b", buffering=0) as memory:
        for line in maps:
            span, rights, *_ = line.split()
            if not rights.startswith("rw") or line.rstrip().endswith(("[vvar]", "[vsyscall]")):
                continue
            begin, end = (int(part, 16) for part in span.split("-"))
            try:
                memory.seek(begin)
                content = memory.read(end - begin) or b""
            except (OSError, ValueError):
                continue
            at = content.find(found)
            while at >= 0:
                memory.seek(begin + at)
                memory.write(put)
                hits += 1
                at = content.find(found, at + 1)
    return hits


def attack(victim: Victim, rounds: int) -> dict[str, int]:
    rng = random.Random(11)
    seen = {"tampered": 0, "unharmed": 0, "overwritten": 0}
    older = ""
    for number in range(rounds):
        value = number.to_bytes(4, "big") + rng.randbytes(20)
        sealed = bytes.fromhex(victim.say("put", "coin", value.hex()))
        other = bytes.fromhex(victim.say("put", "escrow", rng.randbytes(24).hex()))
        match number % 4:
            case 0:  # the value itself, wherever it lies
                hits = overwrite(victim.pid, value, b"\xff" * len(value))
            case 1:  # one bit of the sealed value
                edited = bytearray(sealed)
                edited[rng.randrange(len(edited))] ^= 1 << rng.randrange(8)
                hits = overwrite(victim.pid, sealed, bytes(edited))
            case 2:  # an older sealed value of the same slot
                hits = overwrite(victim.pid, sealed, bytes.fromhex(older))
            case _:  # the sealed value of another slot
                hits = overwrite(victim.pid, sealed, other)
        seen["overwritten"] += hits
        got = victim.say("get", "coin")
        assert got in (value.hex(), "tampered"), f"round {number}: an edit had an effect"
        assert got == "tampered" or number % 4 == 0, "a sealed value was edited unnoticed"
        seen["tampered" if got == "tampered" else "unharmed"] += 1
        older = sealed.hex()
    return seen


def test_forty_rounds_of_scanning_and_overwriting(victim: Victim) -> None:
    seen = attack(victim, 40)
    assert seen["tampered"] >= 30 and seen["overwritten"] >= 30


@pytest.mark.soak
def test_five_hundred_rounds(victim: Victim) -> None:
    seen = attack(victim, 500)
    assert seen["tampered"] >= 375
