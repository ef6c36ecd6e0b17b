"""Prometheus text of several processes as one: every sample gets a label `process`.

The format wants all samples of a metric together under one HELP and TYPE, so lines are
gathered by metric before they are written.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping


def merge(texts: Mapping[str, str]) -> str:
    """`texts`: name of the process -> its exposition text."""
    heads: dict[str, list[str]] = {}
    samples: dict[str, list[str]] = {}
    for process, text in texts.items():
        label = f'process="{_escaped(process)}"'
        for family, line, is_sample in _lines(text):
            if is_sample:
                samples.setdefault(family, []).append(_labelled(line, label))
            else:
                known = heads.setdefault(family, [])
                kind = line.split(" ", 2)[1]
                if not any(other.split(" ", 2)[1] == kind for other in known):
                    known.append(line)
    out: list[str] = []
    for family in {**heads, **samples}:
        out += heads.get(family, [])
        out += samples.get(family, [])
    return "\n".join(out) + "\n" if out else ""


def total(text: str, metric: str) -> float:
    """The sum of all samples of `metric` in one exposition text."""
    found = 0.0
    for line in text.splitlines():
        if line.startswith(metric) and line[len(metric) : len(metric) + 1] in (" ", "{"):
            found += float(line.rpartition(" ")[2])
    return found


def _lines(text: str) -> Iterator[tuple[str, str, bool]]:
    """(metric, line, is it a sample) of all lines that say something."""
    family = ""
    for line in text.splitlines():
        if line.startswith(("# HELP ", "# TYPE ")):
            family = line.split(" ", 3)[2]
            yield family, line, False
        elif line and not line.startswith("#"):
            name = line.partition("{")[0].partition(" ")[0]
            # _bucket, _sum, _count and _created belong to the metric above them.
            yield (family if name.startswith(family) and family else name), line, True


def _labelled(line: str, label: str) -> str:
    name_end = len(line.partition("{")[0].partition(" ")[0])
    if line[name_end : name_end + 1] == "{":
        rest = line[name_end + 1 :]
        return f"{line[:name_end]}{{{label}{'' if rest.startswith('}') else ','}{rest}"
    return f"{line[:name_end]}{{{label}}}{line[name_end:]}"


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
