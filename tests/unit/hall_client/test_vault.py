"""The vault: every edit, swap and replay is noticed, and nothing else is."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hall_client.vault import Tampered, Vault

ACCESS_US = 10.0


def opened(vault: Vault, slot: str) -> bytes | None:
    """The value, None when the vault noticed something."""
    try:
        return vault.get(slot)
    except Tampered as tampered:
        assert tampered.slot == slot
        return None


@given(st.lists(st.tuples(st.sampled_from("abc"), st.binary(max_size=80)), max_size=40))
def test_it_keeps_what_was_put_over_key_changes(writes: list[tuple[str, bytes]]) -> None:
    vault, model = Vault(writes_per_key=5), {}
    for slot, value in writes:
        vault.put(slot, value)
        model[slot] = value
        assert {name: vault.get(name) for name in vault} == model


def test_every_single_bit_matters() -> None:
    vault = Vault()
    vault.put("wallet", b"coin=10000")
    kept = vault._kept["wallet"]
    genuine = kept.sealed
    for bit in range(8 * len(genuine)):
        edited = bytearray(genuine)
        edited[bit // 8] ^= 1 << bit % 8
        kept.sealed = bytes(edited)
        vault._kept["wallet"] = kept
        assert opened(vault, "wallet") is None
        assert "wallet" not in vault, "said once"
    vault._kept["wallet"] = kept
    kept.sealed = genuine
    assert vault.get("wallet") == b"coin=10000"


def test_a_value_of_another_slot_is_noticed() -> None:
    vault = Vault()
    vault.put("coin", b"100")
    vault.put("escrow", b"999")
    vault._kept["coin"].sealed = vault._kept["escrow"].sealed
    assert opened(vault, "coin") is None
    assert vault.get("escrow") == b"999"

    vault.put("coin", b"100")
    vault._kept["coin"], vault._kept["escrow"] = vault._kept["escrow"], vault._kept["coin"]
    # Whole slots exchanged: each is still bound to the name it was written under.
    assert vault._kept["coin"].name == b"escrow"
    assert {opened(vault, "coin"), opened(vault, "escrow")} <= {None, b"100", b"999"}


@pytest.mark.parametrize("writes_between", [1, 2, 7])
def test_an_older_value_put_back_is_noticed(writes_between: int) -> None:
    vault = Vault(writes_per_key=4)
    vault.put("coin", b"rich")
    old = vault._kept["coin"].sealed
    for _ in range(writes_between):
        vault.put("coin", b"poor")
    vault._kept["coin"].sealed = old
    assert opened(vault, "coin") is None


def test_the_same_value_never_looks_the_same_and_blocks_do_not_repeat() -> None:
    vault = Vault()
    dumps = []
    for _ in range(200):
        vault.put("coin", b"the same 16 byte" * 8)
        dumps.append(vault._kept["coin"].sealed)
    blocks = [dump[i : i + 16] for dump in dumps for i in range(12, len(dump), 16)]
    assert len(set(blocks)) == len(blocks)


def test_what_was_tampered_with_is_noticed_after_a_key_change_too() -> None:
    vault = Vault(writes_per_key=3)
    vault.put("a", b"1")
    vault._kept["a"].sealed = bytes(len(vault._kept["a"].sealed))
    for _ in range(10):
        vault.put("b", b"2")
    assert opened(vault, "a") is None
    assert vault.get("b") == b"2"


def accesses(count: int) -> None:
    """Reads and writes over many key changes: nobody is accused."""
    rng = random.Random(5)
    vault, model = Vault(writes_per_key=100), {}
    slots = [f"slot-{n}" for n in range(8)]
    for _ in range(count):
        slot = rng.choice(slots)
        if rng.random() < 0.3 or slot not in model:
            model[slot] = rng.randbytes(20)
            vault.put(slot, model[slot])
        else:
            assert vault.get(slot) == model[slot]


def test_no_false_report_in_a_hundred_thousand_accesses() -> None:
    accesses(100_000)


@pytest.mark.soak
def test_no_false_report_in_a_million_accesses() -> None:
    accesses(1_000_000)


def test_what_an_access_costs() -> None:
    vault = Vault()
    value = bytes(100)
    best = float("inf")
    for _ in range(40):
        begun = time.process_time()
        for _ in range(250):
            vault.put("wallet", value)
            vault.get("wallet")
        best = min(best, (time.process_time() - begun) / 500)
    assert best * 1e6 <= ACCESS_US
