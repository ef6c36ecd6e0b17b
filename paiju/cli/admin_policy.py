"""`paiju admin policy show | set`: which signals lead to which penalty."""

from __future__ import annotations

import re
from typing import Annotated

import typer
from rich.table import Table

from paiju.cli.admin_call import call_admin
from paiju.cli.admin_options import (
    CALL_S,
    HOME,
    Address,
    DataDir,
    Json,
    KeyFile,
    Reason,
    show,
    table_of,
)
from paiju.service.ids import new_op
from paiju.wire.v1 import data_pb2

policy = typer.Typer(no_args_is_help=True, help="Which signals lead to which penalty.")

_RULE = re.compile(r"(\d+)/(\d+)([smhd]) +(warn|fine|freeze|ban)(?: +(\d+))?")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


@policy.command("show")
def show_policy(
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """The rules in force, as `policy set` takes them.

    Example: paiju admin policy show --json policy.json
    """
    reply = call_admin(
        lambda stub, meta: stub.GetPolicy(
            data_pb2.GetPolicyRequest(), metadata=meta, timeout=CALL_S
        ),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, _rules(reply))


@policy.command("set")
def set_policy(
    kind: Annotated[str, typer.Argument(help="Kind of signal, e.g. vault.")],
    reason: Reason,
    rule: Annotated[
        list[str] | None,
        typer.Option(
            help="COUNT/WINDOW ACTION [COINS|HOURS], e.g. '3/1d fine 500'; repeat it. "
            "None: signals of this kind are kept, nothing follows."
        ),
    ] = None,
    json_file: Json = None,
    address: Address = None,
    key_file: KeyFile = None,
    data_dir: DataDir = HOME,
) -> None:
    """Replace the rules of one kind.

    Example: paiju admin policy set vault --rule "1/1d warn" --rule "3/1d fine 500" --reason "May"
    """
    request = data_pb2.SetPolicyRequest(
        op=new_op(), kind=kind, rules=[parse_rule(kind, text) for text in rule or []], reason=reason
    )
    reply = call_admin(
        lambda stub, meta: stub.SetPolicy(request, metadata=meta, timeout=CALL_S),
        address,
        key_file,
        data_dir,
    )
    show(reply, json_file, _rules(reply))


def parse_rule(kind: str, text: str) -> data_pb2.PolicyRule:
    """`3/1d fine 500` -> the rule; typer.BadParameter when it is none."""
    found = _RULE.fullmatch(text.strip())
    if found is None:
        raise typer.BadParameter(f"{text!r} is no rule; write e.g. '3/1d fine 500'")
    count, window, unit, action, amount = found.groups()
    return data_pb2.PolicyRule(
        kind=kind,
        count=int(count),
        window_s=int(window) * _SECONDS[unit],
        action=action,
        amount=int(amount or 0),
    )


def format_rule(rule: data_pb2.PolicyRule) -> str:
    """The text that parse_rule reads."""
    unit = next(unit for unit in "dhms" if rule.window_s % _SECONDS[unit] == 0)
    text = f"{rule.count}/{rule.window_s // _SECONDS[unit]}{unit} {rule.action}"
    return f"{text} {rule.amount}" if rule.amount else text


def _rules(reply: data_pb2.GetPolicyReply) -> Table:
    table = table_of("kind", "rule")
    for rule in reply.rules:
        table.add_row(rule.kind, format_rule(rule))
    return table
