"""Memory of a process and all below it: `python scripts/pss.py PID`.

PSS counts a page that n processes share as one n-th in each, so the sum over a tree is what
the tree costs. Reading another user's processes needs root.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass

import psutil


@dataclass(frozen=True)
class Measured:
    pid: int
    kib: int
    what: str


def pss_kib(pid: int) -> int:
    """KiB; 0 when the process is gone or not ours to read."""
    try:
        with open(f"/proc/{pid}/smaps_rollup", encoding="ascii") as lines:  # noqa: PTH123
            return next(int(line.split()[1]) for line in lines if line.startswith("Pss:"))
    except (OSError, StopIteration):
        return 0


def tree(pid: int) -> list[Measured]:
    """The process and everything below it, largest first."""
    root = psutil.Process(pid)
    found = []
    for process in [root, *root.children(recursive=True)]:
        try:
            command = " ".join(process.cmdline())
        except psutil.Error:
            continue
        found.append(Measured(process.pid, pss_kib(process.pid), command))
    return sorted(found, key=lambda measured: -measured.kib)


def report(pid: int) -> int:
    """Print the tree; return its sum in KiB."""
    measured = tree(pid)
    for one in measured:
        print(f"{one.kib / 1024:8.1f} MiB  {one.pid:>8}  {one.what[:90]}")
    total = sum(one.kib for one in measured)
    print(f"{total / 1024:8.1f} MiB  in {len(measured)} processes")
    return total


if __name__ == "__main__":
    if len(sys.argv) != 2 or not sys.argv[1].isdigit():
        sys.exit(__doc__)
    report(int(sys.argv[1]))
