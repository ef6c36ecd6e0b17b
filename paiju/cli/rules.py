"""`paiju rules`: golden cases, replays, fairness proofs, playout speed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from paiju.cli import output, rules_bench
from paiju.rules import cases as golden
from paiju.rules import record as records
from paiju.rules.registry import Registry, UnknownGame

app = typer.Typer(
    help="Golden cases, replays, proofs and speed of the rules.", no_args_is_help=True
)

Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help="Also write JSON; - is stdout.")
]
Files = Annotated[list[Path], typer.Argument(metavar="FILE...", help="JSON Lines files.")]


@app.command()
def check(files: Files, json: Json = None) -> None:
    """Ask the rules every golden case; ends 0 only if all answers are right.

    Example: paiju rules check games/doudizhu/cases.jsonl
    """
    registry, console = Registry.default(), output.console(json)
    failed: list[str] = []
    total = 0
    try:
        for path in files:
            for answer in golden.check(golden.read(path), registry):
                total += 1
                if not answer.passed:
                    failed.append(answer.id)
                    console.print(f"[red]failed[/red] {answer.id}", highlight=False)
                    console.print(f"  at       {answer.place}", markup=False, highlight=False)
                    console.print(f"  expected {answer.expected}", markup=False)
                    console.print(f"  got      {answer.got}", markup=False)
    except golden.BadCases as error:
        output.fail(str(error), code=2)
    if not total:
        output.fail(f"no cases in {', '.join(map(str, files))}", code=2)
    passed = total - len(failed)
    console.print(f"{total} cases, {passed} passed, {len(failed)} failed")
    output.write_json(json, {"total": total, "passed": passed, "failed": failed})
    raise typer.Exit(1 if failed else 0)


def _records(files: Iterable[Path]) -> Iterator[tuple[str, records.Record]]:
    """(place, record) of each line; one record may also fill a whole file."""
    for path in files:
        try:
            text = path.read_text("utf-8")
        except OSError as error:
            output.fail(f"{path} cannot be read: {error.strerror}", code=2)
        lines = [line for line in text.splitlines() if line.strip()]
        if lines and lines[0].strip() == "{":
            lines = [text]
        for number, line in enumerate(lines, start=1):
            place = f"{path}:{number}"
            try:
                yield place, records.decode(line)
            except records.RecordError as error:
                output.fail(f"{place}: {error}", code=2)


@app.command()
def replay(files: Files, json: Json = None) -> None:
    """Replay records from their actions alone and print each outcome.

    Example: paiju rules replay hands.jsonl --json -
    """
    registry, console = Registry.default(), output.console(json)
    outcomes: list[dict[str, Any]] = []
    for place, record in _records(files):
        try:
            outcome = records.outcome_of(record, registry)
        except (records.RecordError, UnknownGame) as error:
            output.fail(f"{place}: {error}")
        outcomes.append(
            {
                "table": record.table,
                "hand": record.hand,
                "game": record.game,
                "seats": record.seats,
                "result": outcome.result,
                "deltas": outcome.deltas,
                "fees": outcome.fees,
            }
        )
        console.print(
            f"table {record.table} hand {record.hand}: {outcome.result} {outcome.deltas}",
            markup=False,
        )
    output.write_json(json, outcomes)


@app.command()
def verify(files: Files, json: Json = None) -> None:
    """Check that each deal is what the committed secret and the players gave.

    Example: paiju rules verify hand.json
    """
    registry, console = Registry.default(), output.console(json)
    failed: list[dict[str, str]] = []
    total = 0
    for place, record in _records(files):
        total += 1
        try:
            records.verify(record, registry)
        except (records.RecordError, UnknownGame) as error:
            failed.append({"place": place, "reason": str(error)})
            console.print(f"[red]not proved[/red] {place}: {error}", highlight=False)
    console.print(f"{total} records, {total - len(failed)} proved")
    output.write_json(json, {"total": total, "proved": total - len(failed), "failed": failed})
    raise typer.Exit(1 if failed else 0)


@app.command()
def bench(
    game: Annotated[str, typer.Argument(help="Rule set, e.g. doudizhu.")],
    seconds: Annotated[float, typer.Option(help="How long to play, > 0.")] = 3.0,
    json: Json = None,
) -> None:
    """Random legal play through the public interface, on one core.

    Example: paiju rules bench doudizhu --seconds 3 --json -
    """
    if seconds <= 0:
        output.fail("--seconds must be above 0", code=2)
    try:
        rules = Registry.default().latest(game)
    except UnknownGame as error:
        output.fail(str(error), code=2)
    result = rules_bench.figures(rules, seconds)
    output.console(json).print(
        f"{game}: {result['playouts_per_s']} playouts/s, {result['actions_per_s']} actions/s, "
        f"legal {result['legal_us']} us, apply {result['apply_us']} us, "
        f"views {result['view_us']} us"
    )
    output.write_json(json, result)
